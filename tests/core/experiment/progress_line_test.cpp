#include "core/experiment/progress_line.h"

#include <gtest/gtest.h>

#include <latch>
#include <sstream>

namespace runahead::experiment {
namespace {

TEST(ProgressLine, ShortRunsShowNone) {
  std::ostringstream out;
  {
    const ProgressLine progress(out, [] { return "never"; });
  }

  EXPECT_EQ(out.str(), "");
}

TEST(ProgressLine, LongRunsShowALineThatIsClearedAtTheEnd) {
  std::ostringstream out;
  std::latch shown{1};
  bool is_first = true;
  {
    const ProgressLine progress(out, [&] {
      if (std::exchange(is_first, false)) shown.count_down();
      return "issued 3";
    });
    shown.wait();
  }

  EXPECT_EQ(out.str().rfind("\r\033[Kissued 3", 0), 0) << out.str();
  EXPECT_TRUE(out.str().ends_with("\r\033[K")) << out.str();
}

}  // namespace
}  // namespace runahead::experiment
