#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <thread>

#include "core/record/cell_progress.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::record {
namespace {

class CellProgressTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / kCellProgressName;
};

TEST_F(CellProgressTest, IsReadAsItWasWritten) {
  write_cell_progress(path_, {.seconds = 1.5,
                              .batches = 60,
                              .batches_issued = 50,
                              .batches_finished = 20,
                              .operations_in_flight = 1000,
                              .rss_bytes = 5'000'000'000,
                              .live_bytes = 3});
  const auto read = read_cell_progress(path_);

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->seconds, 1.5);
  EXPECT_EQ(read->batches, 60U);
  EXPECT_EQ(read->batches_issued, 50U);
  EXPECT_EQ(read->batches_finished, 20U);
  EXPECT_EQ(read->operations_in_flight, 1000U);
  EXPECT_EQ(read->rss_bytes, 5'000'000'000U);
  EXPECT_EQ(read->live_bytes, 3U);
}

TEST_F(CellProgressTest, IsNotReadFromAnythingElse) {
  EXPECT_EQ(read_cell_progress(path_), std::nullopt);
  for (const char* text : {"", "[1]", "{\"seconds\": 1", "{}", "{\"seconds\": \"1\"}", "1"}) {
    test::write_text(path_, text);
    EXPECT_EQ(read_cell_progress(path_), std::nullopt) << text;
  }
  test::write_text(path_, R"({"seconds": 1, "batches": -3, "rss_bytes": "many"})");
  ASSERT_TRUE(read_cell_progress(path_).has_value());
  EXPECT_EQ(read_cell_progress(path_)->batches, std::nullopt);
  EXPECT_EQ(read_cell_progress(path_)->rss_bytes, std::nullopt);
}

constexpr double kAtOnceSeconds = 1e-4;

/// Lets a writer ask `times` times, the last of them after it has written.
void write_to(const std::filesystem::path& path, std::ptrdiff_t times) {
  std::latch asked{times};
  const std::jthread writer = start_progress_writer(path, kAtOnceSeconds, [&] {
    if (!asked.try_wait()) asked.count_down();
    return CellProgress{.batches = 3, .batches_issued = 2};
  });
  asked.wait();
}

TEST(ProgressWriter, GoesOnWhereNothingCanBeWritten) {
  const test::TemporaryFolder folder;
  write_to(folder.path() / "absent" / kCellProgressName, 3);

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace runahead::record
