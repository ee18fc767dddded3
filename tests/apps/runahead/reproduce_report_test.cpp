#include "apps/runahead/reproduce_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/runahead/reproduce_progress.h"

namespace runahead::apps {
namespace {

using reproduce::Claim;
using reproduce::Expectation;
using reproduce::Verdict;
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

TEST(ReproduceReport, ReportsAClaimOnceADevice) {
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

TEST(ReproduceReport, ReportsInHowManyLooksItWasFoundSo) {
  Verdict decided = verdict("acpu", Expectation::kHolds, true);
  decided.attempts.insert(decided.attempts.begin(), 2, {.holds = true, .measured = "7 %"});
  decided.attempts[0] = {.holds = false, .measured = "12 %"};
  const ReproduceReport report = report_of({decided});

  EXPECT_THAT(reproduce_text(report, {.lists_all = true}),
              HasSubstr("holds, as expected: 5 % (in 2 of 3 attempts)"));
  const Json claim = reproduce_json(report)["claims"][0];
  EXPECT_EQ(claim["measured"], "5 % (in 2 of 3 attempts)");
  EXPECT_EQ(claim["attempts"][0], (Json{{"holds", false}, {"measured", "12 %"}}));
  EXPECT_EQ(claim["attempts"].size(), 3U);
}

TEST(ReproduceReport, GivesTheVerdictThenTheSurprises) {
  const Verdict fails = verdict("cpu", Expectation::kFails, false);
  const ReproduceReport as_expected =
      report_of({fails, verdict("acpu", Expectation::kHolds, true)});

  EXPECT_EQ(reproduce_text(as_expected), "✓ 2 of 2 as expected\n");
  EXPECT_EQ(reproduce_text(as_expected, {.lists_all = true}),
            "✓ 2 of 2 as expected\n\nThe call returns early. [jax.early]\n"
            "  ✓ cpu   fails, as expected: 5 %\n  ✓ acpu  holds, as expected: 5 %\n"
            "  On the device.\n");
  EXPECT_EQ(reproduce_text(report_of({fails, verdict("acpu", Expectation::kHolds, false)}),
                           {.is_coloured = true}),
            "\033[31m✗\033[0m 1 of 2 as expected\n\nThe call returns early. [jax.early]\n"
            "  \033[32m✓\033[0m cpu   fails, as expected: 5 %\n"
            "  \033[31m✗\033[0m acpu  fails, NOT AS EXPECTED: 5 %\n"
            "  On the device.\n");
}

TEST(ReproduceReport, CountsWhatAnInterruptedRunDidNotMeasure) {
  ReproduceReport report = report_of({verdict("acpu", Expectation::kHolds, {})});

  EXPECT_THAT(reproduce_text(report), HasSubstr("[jax.early]\n  ✗ acpu  5 %\n"));
  report.status = "interrupted";
  EXPECT_EQ(reproduce_text(report), "✗ 0 of 1 as expected, 1 not measured: interrupted\n");
}

TEST(ReproduceReport, AsksNothingOfAClaimThatIsNotAsked) {
  Verdict not_asked = verdict("cpu", Expectation::kNotAsked, {});
  not_asked.is_met = true;
  const ReproduceReport report = report_of({not_asked, verdict("acpu", Expectation::kHolds, true)});

  EXPECT_TRUE(all_met(report));
  EXPECT_EQ(reproduce_json(report)["claims"][0]["expected"], "not asked");
  EXPECT_EQ(reproduce_json(report)["claims"][0]["met"], nullptr);
  EXPECT_THAT(reproduce_text(report), HasSubstr("✓ 1 of 1 as expected\n"));
}

TEST(ReproduceProgress, IsALineWithTheTimeLeft) {
  const reproduce::ReproduceJob job{.run = "train.none.long", .device = "acpu", .attempt = 1};

  EXPECT_EQ(progress_line({.done = 1, .total = 60}), "1/60 done");
  EXPECT_EQ(progress_line({.done = 12,
                           .total = 60,
                           .running = &job,
                           .running_seconds = 4.7,
                           .seconds_left = 179.2}),
            "12/60 done, about 3 min left; train.none.long on acpu, attempt 2  4 s");
}

}  // namespace
}  // namespace runahead::apps
