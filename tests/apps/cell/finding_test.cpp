#include "apps/cell/finding.h"

#include <gtest/gtest.h>

#include "core/base/json.h"

namespace runahead::cell {
namespace {

TEST(Finding, SaysWhatTheReportsPageSays) {
  const Json cases = read_json_file(RUNAHEAD_FINDINGS);
  ASSERT_FALSE(cases.empty());
  for (const Json& one : cases) {
    EXPECT_EQ(finding(record::from_json(one["record"], RUNAHEAD_FINDINGS)),
              one["sentence"].get<std::string>());
  }
}

TEST(Finding, SaysNothingOfAnExperimentWithoutBatches) {
  EXPECT_EQ(finding(record::make_record({}, 0, Json::object())), "");
}

}  // namespace
}  // namespace runahead::cell
