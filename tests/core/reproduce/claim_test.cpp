#include "core/reproduce/claim.h"

#include <gtest/gtest.h>

namespace runahead::reproduce {
namespace {

Claim claim_found(std::optional<bool> holds) {
  return {.id = "test.claim",
          .on_cpu = Expectation::kFails,
          .on_acpu = Expectation::kHolds,
          .judge = [holds](const Measured&) { return Finding{.holds = holds}; }};
}

bool is_met(std::optional<bool> holds, const std::string& device) {
  const std::vector<Claim> claims{claim_found(holds)};
  return judge(claims, device, {}).at(0).is_met;
}

TEST(Judge, MeetsWhatIsExpectedToHold) {
  EXPECT_TRUE(is_met(true, "acpu"));
  EXPECT_FALSE(is_met(false, "acpu"));
}

TEST(Judge, MeetsWhatIsExpectedToFailOnlyIfItFails) {
  EXPECT_TRUE(is_met(false, "cpu"));
  EXPECT_FALSE(is_met(true, "cpu"));
}

TEST(Judge, MeetsNothingThatWasNotMeasured) {
  EXPECT_FALSE(is_met(std::nullopt, "cpu"));
  EXPECT_FALSE(is_met(std::nullopt, "acpu"));
}

TEST(Judge, MeetsWhatIsNotAskedWithoutAFinding) {
  const std::vector<Claim> claims{claim_found(false)};
  const Verdict verdict = judge(claims, "cuda", {}).at(0);

  EXPECT_TRUE(verdict.is_met);
  EXPECT_EQ(verdict.expected, Expectation::kNotAsked);
  EXPECT_EQ(verdict.finding.holds, std::nullopt);
}

}  // namespace
}  // namespace runahead::reproduce
