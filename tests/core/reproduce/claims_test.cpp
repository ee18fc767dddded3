// Claims that look at several figures, on either side of their bounds. All others, and the runs
// that they rest on, are in tests/apps/runahead/golden/reproduce_plan.txt.

#include "core/reproduce/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "measured_fixtures.h"

namespace runahead::reproduce {
namespace {

Claim claim_named(const std::string& id) {
  for (const Document& document : all_documents()) {
    for (const Claim& claim : document.claims) {
      if (claim.id == id) return claim;
    }
  }
  throw UsageError("no claim " + id);
}

TEST(Claims, HoldWhereTheFiguresSaySo) {
  for (const Json& row : read_json_file(RUNAHEAD_SOURCE_FOLDER "/tests/data/claims.json")) {
    SCOPED_TRACE(row);
    Measured measured;
    for (const auto& [run, results] : row["runs"].items()) {
      measured.add(run, test::record_with(results));
    }
    const Finding finding = claim_named(row["claim"]).judge(measured);

    EXPECT_EQ(finding.holds, row["holds"].get<bool>());
    EXPECT_THAT(finding.measured, ::testing::HasSubstr(row.value("measured", "")));
  }
}

}  // namespace
}  // namespace runahead::reproduce
