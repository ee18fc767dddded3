#include "apps/runahead/reproduce_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::apps {
namespace {

using reproduce::Claim;
using reproduce::Expectation;
using reproduce::Verdict;
using ::testing::AllOf;
using ::testing::HasSubstr;

const Claim kEarly{.id = "jax.early",
                   .experiment = "dispatch",
                   .text = "The call returns early.",
                   .condition = "dispatch < 10 % of the copy",
                   .depends_on = "On the device."};

Verdict verdict(const std::string& device, Expectation expected, std::optional<bool> holds) {
  return {.claim = &kEarly,
          .device = device,
          .expected = expected,
          .attempts = {{.holds = holds, .measured = "5 %"}},
          .finding = {.holds = holds,
                      .measured = "5 %",
                      .values = {{"share", 0.05}},
                      .runs = {"dispatch"}},
          .is_met = holds && *holds == (expected == Expectation::kHolds)};
}

ReproduceReport report_of(const std::vector<Verdict>& verdicts) {
  return {.devices = {"cpu", "acpu"},
          .runs = {{.name = "dispatch", .device = "acpu", .process = 1, .id = "abc"}},
          .documents = {{.name = "JAX", .verdicts = verdicts}}};
}

TEST(ReproduceReport, IsMetIfEveryClaimIs) {
  const Verdict fails = verdict("cpu", Expectation::kFails, false);
  const Verdict holds = verdict("acpu", Expectation::kHolds, true);

  EXPECT_TRUE(all_met(report_of({fails, holds})));
  EXPECT_FALSE(all_met(report_of({fails, verdict("acpu", Expectation::kHolds, false)})));
  EXPECT_FALSE(all_met(report_of({verdict("cpu", Expectation::kFails, true), holds})));
}

TEST(ReproduceReport, TellsAClaimOnceADevice) {
  const Json document = reproduce_json(report_of(
      {verdict("cpu", Expectation::kFails, false), verdict("acpu", Expectation::kHolds, {})}));

  EXPECT_EQ(document["all_met"], false);
  EXPECT_EQ(document["runs"][0], (Json{{"run", "dispatch"},
                                       {"device", "acpu"},
                                       {"process", 1},
                                       {"attempt", 0},
                                       {"id", "abc"},
                                       {"status", "ok"}}));
  EXPECT_EQ(document["claims"][0], (Json{{"document", "JAX"},
                                         {"id", "jax.early"},
                                         {"experiment", "dispatch"},
                                         {"claim", "The call returns early."},
                                         {"condition", "dispatch < 10 % of the copy"},
                                         {"device", "cpu"},
                                         {"expected", "fails"},
                                         {"holds", false},
                                         {"met", true},
                                         {"measured", "5 %"},
                                         {"values", {{"share", 0.05}}},
                                         {"runs", {"dispatch"}},
                                         {"attempts", {{{"holds", false}, {"measured", "5 %"}}}},
                                         {"depends_on", "On the device."}}));
  EXPECT_EQ(document["claims"][1]["holds"], nullptr);
  EXPECT_EQ(document["claims"][1]["met"], false);
}

TEST(ReproduceReport, TellsInHowManyLooksItWasFoundSo) {
  Verdict decided = verdict("acpu", Expectation::kHolds, true);
  decided.attempts.insert(decided.attempts.begin(), 2, {.holds = true, .measured = "7 %"});
  decided.attempts[0] = {.holds = false, .measured = "12 %"};
  const ReproduceReport report = report_of({decided});

  EXPECT_THAT(reproduce_text(report), HasSubstr("holds, as expected: 5 % (in 2 of 3 attempts)"));
  const Json claim = reproduce_json(report)["claims"][0];
  EXPECT_EQ(claim["measured"], "5 % (in 2 of 3 attempts)");
  EXPECT_EQ(claim["attempts"][0], (Json{{"holds", false}, {"measured", "12 %"}}));
  EXPECT_EQ(claim["attempts"].size(), 3U);
}

TEST(ReproduceReport, ShowsEachClaimWithItsDevices) {
  const std::string text = reproduce_text(report_of(
      {verdict("cpu", Expectation::kFails, false), verdict("acpu", Expectation::kHolds, true)}));

  EXPECT_THAT(text, AllOf(HasSubstr("JAX\n  The call returns early.\n"),
                          HasSubstr("tested: dispatch < 10 % of the copy"),
                          HasSubstr("cpu   fails, as expected: 5 %"),
                          HasSubstr("acpu  holds, as expected: 5 %"), HasSubstr("On the device."),
                          HasSubstr("2 of 2 as expected\n")));
}

TEST(ReproduceReport, AsksNothingOfAClaimThatIsNotAsked) {
  Verdict not_asked = verdict("cpu", Expectation::kNotAsked, {});
  not_asked.is_met = true;
  const ReproduceReport report = report_of({not_asked, verdict("acpu", Expectation::kHolds, true)});

  EXPECT_TRUE(all_met(report));
  EXPECT_EQ(reproduce_json(report)["claims"][0]["expected"], "not asked");
  EXPECT_EQ(reproduce_json(report)["claims"][0]["met"], nullptr);
  EXPECT_THAT(reproduce_text(report), HasSubstr("1 of 1 as expected"));
}

TEST(ReproduceReport, NamesWhatIsNotAsExpected) {
  const std::string text = reproduce_text(report_of(
      {verdict("cpu", Expectation::kFails, true), verdict("acpu", Expectation::kHolds, {})}));

  EXPECT_THAT(text, AllOf(HasSubstr("cpu   holds, NOT AS EXPECTED"), HasSubstr("NOT MEASURED"),
                          HasSubstr("0 of 2 as expected; not: jax.early on cpu, jax.early on "
                                    "acpu")));
}

}  // namespace
}  // namespace runahead::apps
