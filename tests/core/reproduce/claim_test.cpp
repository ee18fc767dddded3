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
  const Claim claim = claim_found(holds);
  const Measured measured;
  return judge(claim, device, {&measured}).is_met;
}

/// What becomes of a claim that should hold on acpu and is found as `found`, look by look.
Verdict verdict_after(const std::vector<std::optional<bool>>& found) {
  std::size_t looks = 0;
  const Claim claim{.on_acpu = Expectation::kHolds, .judge = [&](const Measured&) {
                      const std::size_t look = looks++;
                      return Finding{.holds = found.at(look),
                                     .measured = "look " + std::to_string(look)};
                    }};
  const Measured measured;
  Verdict verdict = judge(claim, "acpu", std::vector<const Measured*>(found.size(), &measured));
  verdict.claim = nullptr;  // It ends here.
  return verdict;
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
  const Claim claim = claim_found(false);
  const Measured measured;
  const Verdict verdict = judge(claim, "cuda", {&measured});

  EXPECT_TRUE(verdict.is_met);
  EXPECT_EQ(verdict.expected, Expectation::kNotAsked);
  EXPECT_EQ(verdict.finding.holds, std::nullopt);
  EXPECT_FALSE(verdict.is_open());
}

TEST(Judge, LooksNoFurtherAtWhatIsAsExpectedAtOnce) {
  const Verdict verdict = verdict_after({true, false, false});

  EXPECT_TRUE(verdict.is_met);
  EXPECT_EQ(verdict.looks.size(), 1U);
}

TEST(Judge, IsOpenWhileAnotherLookMayDecide) {
  EXPECT_FALSE(verdict_after({true}).is_open());
  EXPECT_TRUE(verdict_after({false}).is_open());
  EXPECT_FALSE(verdict_after({false, false}).is_open());
  EXPECT_TRUE(verdict_after({false, true}).is_open());
  EXPECT_FALSE(verdict_after({false, true, true}).is_open());
  EXPECT_FALSE(verdict_after({std::nullopt}).is_open());
}

TEST(Judge, GoesByTheMajorityAndTellsTheLastThatAgrees) {
  const Verdict met = verdict_after({false, true, true});
  EXPECT_TRUE(met.is_met);
  EXPECT_EQ(met.finding.measured, "look 2");

  const Verdict unmet = verdict_after({false, true, false});
  EXPECT_FALSE(unmet.is_met);
  EXPECT_EQ(unmet.finding.measured, "look 2");

  EXPECT_FALSE(verdict_after({false, false}).is_met);
  EXPECT_FALSE(verdict_after({false, true}).is_met);
}

TEST(Judge, LeavesOutALaterLookThatMeasuredNothing) {
  const Verdict verdict = verdict_after({false, std::nullopt, true});

  EXPECT_EQ(verdict.looks.size(), 2U);
  EXPECT_TRUE(verdict.is_open());
}

TEST(Judge, TellsTheRunsThatAFindingRestsOn) {
  const Claim claim{.on_acpu = Expectation::kHolds, .judge = [](const Measured& measured) {
                      static_cast<void>(measured.figure("one", "/results/share"));
                      return Finding{.holds = measured.fact("two", "/results/kept")};
                    }};
  const Measured measured;

  const Verdict verdict = judge(claim, "acpu", {&measured});

  EXPECT_EQ(verdict.finding.runs, (std::set<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace runahead::reproduce
