#include "core/reproduce/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/error.h"
#include "core/config/experiment_kinds.h"
#include "core/reproduce/run_plan.h"
#include "measured_fixtures.h"

namespace runahead::reproduce {
namespace {

using test::measured_of;
using test::spread;
using ::testing::HasSubstr;

std::vector<Claim> every_claim() {
  std::vector<Claim> claims;
  for (const Document& document : all_documents()) {
    claims.insert(claims.end(), document.claims.begin(), document.claims.end());
  }
  return claims;
}

Claim claim_named(const std::string& id) {
  for (const Claim& claim : every_claim()) {
    if (claim.id == id) return claim;
  }
  throw UsageError("no claim " + id);
}

std::set<std::string> runs_on(const std::string& device) {
  std::set<std::string> names;
  for (const PlannedRun& run : planned_runs()) {
    if (std::find(run.devices.begin(), run.devices.end(), device) != run.devices.end()) {
      names.insert(run.name);
    }
  }
  return names;
}

TEST(Claims, AreWholeAndNamedOnce) {
  std::set<std::string> ids;
  for (const Claim& claim : every_claim()) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_FALSE(claim.text.empty() || claim.condition.empty() || !claim.judge) << claim.id;
    EXPECT_NE(claim.on_acpu, Expectation::kNotAsked) << claim.id;
  }
}

TEST(Claims, AreMadeOfEveryKindOfExperiment) {
  std::set<std::string> asked;
  for (const Claim& claim : every_claim()) asked.insert(claim.experiment);
  for (const config::ExperimentKind& kind : config::experiment_kinds()) {
    EXPECT_EQ(asked.contains(kind.name), kind.is_of_the_tutorials && !kind.is_foreign) << kind.name;
  }
}

TEST(Claims, RestOnRunsThatAreMadeOnTheDevice) {
  const Measured nothing;
  for (const std::string device : {"cpu", "acpu", "cuda"}) {
    const std::set<std::string> made = runs_on(device);
    for (const Claim& claim : every_claim()) {
      const Verdict verdict = judge(claim, device, {&nothing});
      if (verdict.expected == Expectation::kNotAsked) continue;
      EXPECT_FALSE(verdict.finding.runs.empty()) << claim.id;
      for (const std::string& run : verdict.finding.runs) {
        EXPECT_TRUE(made.contains(run)) << claim.id << ": " << run;
      }
    }
  }
}

TEST(Claims, OfAsynchronyAreExpectedToFailOnCpu) {
  for (const char* id :
       {"jax.dispatch_returns_early", "jax.shape_known_at_once", "jax.results_passed_on",
        "jax.any_amount_is_enqueued", "paddle.issue_is_not_execution", "mxnet.queued_at_once",
        "mxnet.nothing_else_waits", "mxnet.waiting_once_is_faster", "mxnet.batches_exist_early",
        "mxnet.memory_grows_without_a_wait", "mxnet.data_is_made_early",
        "mxnet.prediction_grows_without_a_wait", "mxnet.asynchrony_on_the_cpu",
        "front_end.a_slower_front_end_costs_nothing"}) {
    EXPECT_EQ(claim_named(id).on_cpu, Expectation::kFails) << id;
  }
}

TEST(Claims, CanBeTakenForOneKind) {
  for (const Document& document : all_documents("graph")) {
    for (const Claim& claim : document.claims) EXPECT_EQ(claim.experiment, "graph");
  }
  try {
    static_cast<void>(all_documents("nonsense"));
    FAIL() << "it was taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("dispatch, matmul_loop"));
  }
}

Json increments(double each, double once, double error) {
  return {{"operations", 1000},
          {"waited_each_seconds", spread(each, each, each)},
          {"waited_once_seconds", spread(once, once, once)},
          {"error_each", error},
          {"error_once", error}};
}

Json increment_results(const Json& independent, const Json& chained) {
  return {{"increment",
           {{"independent", {{"runs", {independent}}}}, {"chained", {{"runs", {chained}}}}}}};
}

TEST(Claims, OfWaitingOnceLookAtBothForms) {
  const Claim claim = claim_named("mxnet.waiting_once_is_faster");
  const Json fast = increments(10.0, 7.0, 0.0);
  const Json slow = increments(10.0, 9.0, 0.0);

  EXPECT_EQ(claim.judge(measured_of("increment.small", increment_results(fast, fast))).holds, true);
  EXPECT_EQ(claim.judge(measured_of("increment.small", increment_results(fast, slow))).holds,
            false);
}

TEST(Claims, OfTheFormulaAllowErrorsToBothSides) {
  const Claim claim = claim_named("mxnet.time_with_waits");
  const auto holds_with = [&claim](double error) {
    Measured measured;
    for (const char* run : {"increment.small", "increment.large"}) {
      measured.add(run, test::record_with(increment_results(increments(1.0, 1.0, 0.0),
                                                            increments(1.0, 1.0, error))));
    }
    return claim.judge(measured).holds;
  };

  EXPECT_EQ(holds_with(0.15), true);
  EXPECT_EQ(holds_with(-0.16), false);
  EXPECT_EQ(holds_with(0.16), false);
}

Json size_of_exercise(double ratio, const char* formula) {
  return {{"t2_over_t1", ratio}, {"fitting_formula", formula}};
}

TEST(Claims, OfTheExerciseNeedBothSides) {
  const Claim claim = claim_named("mxnet.why_1000_t2_above_999_t1");
  const auto holds_with = [&claim](const Json& sizes) {
    return claim.judge(measured_of("exercise", {{"exercise", {{"sizes", sizes}}}})).holds;
  };
  const Json small = size_of_exercise(0.3, "front_end");
  const Json near = size_of_exercise(1.0, "front_end");
  const Json large = size_of_exercise(5.0, "back_end");

  EXPECT_EQ(holds_with({small, near, large}), true);
  EXPECT_EQ(holds_with({small, near}), false);
  EXPECT_EQ(holds_with({small, size_of_exercise(5.0, "front_end")}), false);
}

Json front_end_results(double at_75, double at_125, double at_200) {
  Json delays = Json::array();
  for (const auto& [percent, seconds] :
       {std::pair{0, 1.0}, {75, at_75}, {125, at_125}, {200, at_200}}) {
    delays.push_back({{"percent", percent},
                      {"delay_seconds", percent / 100.0},
                      {"seconds_per_batch", spread(2 * seconds, seconds, 3 * seconds)}});
  }
  return {{"front_end", {{"delays", delays}}}};
}

TEST(Claims, OfTheFrontEndAreFlatThenSlopeOne) {
  const Claim flat = claim_named("front_end.a_slower_front_end_costs_nothing");
  const Claim slope = claim_named("front_end.beyond_t2_it_is_the_bound");
  const auto measured = [](double at_75, double at_125, double at_200) {
    return measured_of("front_end", front_end_results(at_75, at_125, at_200));
  };

  EXPECT_EQ(flat.judge(measured(1.1, 1.25, 2.0)).holds, true);
  EXPECT_EQ(flat.judge(measured(1.2, 1.25, 2.0)).holds, false);
  EXPECT_EQ(slope.judge(measured(1.0, 1.25, 2.0)).holds, true);
  EXPECT_EQ(slope.judge(measured(1.0, 1.25, 1.7)).holds, false);
}

}  // namespace
}  // namespace runahead::reproduce
