#include "core/report/finding.h"

#include <gtest/gtest.h>

#include "core/base/json.h"

namespace runahead::report {
namespace {

// What whole reports say is in tests/scripts/report_summary_test.py.
TEST(Finding, NamesWaitTimeBacklogAndEnd) {
  const Json cases = read_json_file(RUNAHEAD_FINDINGS);
  ASSERT_FALSE(cases.empty());
  for (const Json& one : cases) {
    EXPECT_EQ(finding(one["record"]), one["sentence"].get<std::string>());
  }
}

}  // namespace
}  // namespace runahead::report
