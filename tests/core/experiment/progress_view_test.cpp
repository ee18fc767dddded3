#include "core/experiment/progress_view.h"

#include <gtest/gtest.h>

#include <latch>
#include <sstream>

namespace runahead::experiment {
namespace {

constexpr Progress kProgress{
    .batches = 3, .counts = train::BatchCounts{.issued = 2, .finished = 1, .in_flight = 1}};

/// What a view writes until it was asked for its progress `frames` times, and at its end.
std::string shown(ProgressOutput output, std::ptrdiff_t frames) {
  std::ostringstream out;
  output.out = &out;
  std::latch asked{frames};
  {
    const ProgressView view(output, [&] {
      if (!asked.try_wait()) asked.count_down();
      return kProgress;
    });
    asked.wait();
  }
  return out.str();
}

TEST(ProgressView, ChangesItsLinesInPlaceAndClearsThemAtTheEnd) {
  const std::string text = shown({.columns = [] { return 30; }}, 2);

  const std::string frame = "issued 2/3  finished 1/3\n1 batch in flight";
  EXPECT_EQ(text.rfind("\r\033[J" + frame + "\r\033[A\r\033[J" + frame, 0), 0) << text;
  EXPECT_TRUE(text.ends_with(frame + "\r\033[A\r\033[J")) << text;
}

TEST(ProgressView, WritesPlainLinesWhereThereIsNoTerminal) {
  const std::string text = shown({}, 1);

  EXPECT_EQ(text.rfind("issued 2/3, finished 1/3, 1 batch in flight\n", 0), 0) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos) << text;
}

}  // namespace
}  // namespace runahead::experiment
