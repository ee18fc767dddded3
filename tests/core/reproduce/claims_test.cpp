// The tables of claims and of the runs they rest on, and how several attempts become a verdict.

#include "core/reproduce/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
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

const std::filesystem::path kConfigs =
    std::filesystem::path(RUNAHEAD_SOURCE_FOLDER) / "configs" / "tutorials";

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

std::vector<ReproduceJob> plan(const std::vector<std::string>& devices, bool is_quick = false,
                               const std::string& experiment = "") {
  return make_run_plan(
      {.configs = kConfigs, .devices = devices, .experiment = experiment, .is_quick = is_quick});
}

TEST(Claims, AreWholeNamedOnceAndMadeOfEveryTutorial) {
  std::set<std::string> ids;
  std::set<std::string> experiments;
  for (const Claim& claim : every_claim()) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_FALSE(claim.text.empty() || claim.condition.empty() || !claim.judge) << claim.id;
    EXPECT_NE(claim.expected.on_acpu, Expectation::kNotAsked) << claim.id;
    experiments.insert(claim.experiment);
  }
  for (const config::ExperimentKind& kind : config::experiment_kinds()) {
    EXPECT_EQ(experiments.contains(kind.name), kind.has_tutorial) << kind.name;
  }
}

TEST(Claims, RestOnRunsThatAreMadeOnTheDevice) {
  const Measured nothing;
  for (const std::string device : {"cpu", "acpu", "cuda"}) {
    std::set<std::string> made;
    for (const ReproduceJob& job : plan({device})) made.insert(job.run);
    for (const ReproduceJob& job : gallery_plan()) made.insert(job.run);
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
  std::set<std::string> failing;
  for (const Claim& claim : every_claim()) {
    if (claim.expected.on_cpu == Expectation::kFails) failing.insert(claim.id);
  }
  EXPECT_EQ(failing,
            (std::set<std::string>{
                "jax.dispatch_returns_early", "jax.shape_known_at_once", "jax.results_passed_on",
                "jax.any_amount_is_enqueued", "paddle.issue_is_not_execution",
                "mxnet.queued_at_once", "mxnet.nothing_else_waits", "mxnet.waiting_once_is_faster",
                "mxnet.batches_exist_early", "mxnet.memory_grows_without_a_wait",
                "mxnet.data_is_made_early", "mxnet.prediction_grows_without_a_wait",
                "mxnet.asynchrony_on_the_cpu", "front_end.a_slower_front_end_costs_nothing"}));
}

TEST(Claims, CanBeTakenForOneKind) {
  for (const Document& document : all_documents("graph")) {
    for (const Claim& claim : document.claims) EXPECT_EQ(claim.experiment, "graph");
  }
  for (const ReproduceJob& job : plan({"acpu"}, false, "graph")) {
    EXPECT_EQ(job.cell.config.experiment, "graph");
  }
  EXPECT_EQ(plan({"acpu"}, false, "graph").size(), 2U);
  try {
    static_cast<void>(all_documents("nonsense"));
    FAIL() << "it was taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("dispatch, matmul_loop"));
  }
}

TEST(RunPlan, HasAScriptForEachScenarioOfTheGallery) {
  const std::filesystem::path folder = kConfigs.parent_path() / "gallery";
  std::set<std::string> planned;
  for (const ReproduceJob& job : gallery_plan()) {
    const std::filesystem::path script = kConfigs.parent_path().parent_path() / job.python.front();
    EXPECT_TRUE(std::filesystem::exists(script)) << script;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(script).replace_extension(".json")));
    planned.insert(script.stem());
  }
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    EXPECT_TRUE(planned.contains(file.path().stem())) << file.path();
  }
}

TEST(RunPlan, UsesEveryTutorialAndShrinksOnlyItsSizes) {
  std::set<std::string> used;
  std::set<std::string> names;
  for (const PlannedRun& run : planned_runs()) {
    used.insert(run.config);
    EXPECT_TRUE(names.insert(run.name).second) << run.name;
  }
  for (const auto& file : std::filesystem::directory_iterator(kConfigs)) {
    if (file.path().extension() != ".json") continue;
    EXPECT_TRUE(used.contains(file.path().filename().string())) << file.path();
  }
  const auto whole = plan({"cpu", "acpu", "cuda"});
  const auto quick = plan({"cpu", "acpu", "cuda"}, true);
  ASSERT_EQ(whole.size(), quick.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(whole[i].cell.config.device, whole[i].device);
    EXPECT_EQ(quick[i].run, whole[i].run);
    if (whole[i].device != "acpu") continue;
    EXPECT_NE(quick[i].cell.id, whole[i].cell.id) << whole[i].run;
  }
  EXPECT_THROW(static_cast<void>(make_run_plan({.configs = "/nowhere", .devices = {"cpu"}})),
               Error);
}

TEST(RunPlan, MeasuresMemoryInTwoProcessesAndComparesTimesInFivePairs) {
  for (const bool is_quick : {false, true}) {
    std::map<std::string, int> processes;
    const auto jobs = plan({"acpu"}, is_quick);
    for (const ReproduceJob& job : jobs) ++processes[job.run];
    EXPECT_EQ(processes.at("train.on_device.none.long"), 2);
    EXPECT_EQ(processes.at("predict.kept.none.short"), 2);
    EXPECT_EQ(processes.at("train.on_device.none.short"), 5);
    EXPECT_EQ(processes.at("train.on_device.every_batch.short"), 5);
    EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end(), [](const auto& one, const auto& other) {
      return one.process < other.process;
    }));
  }
}

/// The verdict on a claim that should hold on acpu and fail on cpu, attempt by attempt.
Verdict verdict_after(const std::vector<std::optional<bool>>& found,
                      const std::string& device = "acpu") {
  std::size_t attempts = 0;
  const Claim claim{.expected = {.on_cpu = Expectation::kFails, .on_acpu = Expectation::kHolds},
                    .judge = [&](const Measured& measured) {
                      const std::size_t attempt = attempts++;
                      static_cast<void>(measured.figure("run", "/results/share"));
                      return Finding{.holds = found.at(attempt),
                                     .measured = "attempt " + std::to_string(attempt)};
                    }};
  const Measured measured;
  Verdict verdict = judge(claim, device, std::vector<const Measured*>(found.size(), &measured));
  verdict.claim = nullptr;  // It ends here.
  return verdict;
}

TEST(Verdict, IsWhatTheFirstOrTheMajorityOfTheAttemptsFinds) {
  struct Case {
    std::vector<std::optional<bool>> found{};
    bool is_met = false;
    bool is_open = false;
    std::size_t attempts = 0;
  };
  const Case cases[] = {
      {{true, false, false}, true, false, 1}, {{false}, false, true, 1},
      {{false, false}, false, false, 2},      {{false, true}, false, true, 2},
      {{false, true, true}, true, false, 3},  {{false, true, false}, false, false, 3},
      {{std::nullopt}, false, false, 1},      {{false, std::nullopt, true}, false, true, 2},
  };
  int number = 0;
  for (const Case& example : cases) {
    SCOPED_TRACE(number++);
    const Verdict verdict = verdict_after(example.found);
    EXPECT_EQ(verdict.is_met, example.is_met);
    EXPECT_EQ(verdict.is_open(), example.is_open);
    EXPECT_EQ(verdict.attempts.size(), example.attempts);
  }
  EXPECT_EQ(verdict_after({false, true, true}).finding.measured, "attempt 2");
  EXPECT_EQ(verdict_after({true}).finding.runs, (std::set<std::string>{"run"}));
}

TEST(Verdict, GoesByWhatIsExpectedOfTheDevice) {
  EXPECT_TRUE(verdict_after({false}, "cpu").is_met);
  EXPECT_FALSE(verdict_after({true}, "cpu").is_met);
  EXPECT_FALSE(verdict_after({std::nullopt}, "cpu").is_met);

  const Verdict not_asked = verdict_after({false}, "cuda");
  EXPECT_TRUE(not_asked.is_met);
  EXPECT_EQ(not_asked.expected, Expectation::kNotAsked);
  EXPECT_EQ(not_asked.finding.holds, std::nullopt);
  EXPECT_FALSE(not_asked.is_open());
}

Json increments(double each, double once) {
  return {{"operations", 1000},
          {"waited_each_seconds", spread(2.0 * each, each, 3.0 * each)},
          {"waited_once_seconds", spread(2.0 * once, once, 3.0 * once)},
          {"predicted_each_seconds", 1.0},
          {"predicted_once_seconds", 1.0}};
}

Json increment_results(const Json& independent, const Json& chained) {
  return {{"increment",
           {{"independent", {{"runs", {independent}}}}, {"chained", {{"runs", {chained}}}}}}};
}

TEST(Claims, OfWaitingOnceLookAtBothForms) {
  const Claim claim = claim_named("mxnet.waiting_once_is_faster");
  const Json fast = increments(10.0, 7.0);
  const Json slow = increments(10.0, 9.0);

  EXPECT_EQ(claim.judge(measured_of("increment.small", increment_results(fast, fast))).holds, true);
  EXPECT_EQ(claim.judge(measured_of("increment.small", increment_results(fast, slow))).holds,
            false);
}

TEST(Claims, OfTheFormulaAllowErrorsToBothSides) {
  const Claim claim = claim_named("mxnet.time_with_waits");
  const auto holds_with = [&claim](double error) {
    Measured measured;
    for (const char* run : {"increment.small", "increment.large"}) {
      measured.add(run, test::record_with(
                            increment_results(increments(1.0, 1.0), increments(1.0 + error, 1.0))));
    }
    return claim.judge(measured).holds;
  };

  EXPECT_EQ(holds_with(0.149), true);
  EXPECT_EQ(holds_with(-0.16), false);
  EXPECT_EQ(holds_with(0.16), false);
}

Json size_of_exercise(double ratio, const char* formula) {
  return {{"t2_over_t1", ratio}, {"fitting_formula", formula}};
}

/// The claim is on the least times, and on what is at least so much: its evidence is, too.
TEST(Claims, GiveTheirRatioTheWayTheyStateIt) {
  Json seconds;
  for (const char* name : {"execution", "loss_ready", "all", "host_copy", "loss_value", "print",
                           "save", "implicit_conversion"}) {
    seconds[std::string(name) + "_seconds"] = spread(0.0327, 0.02, 0.05);
  }
  seconds["print_seconds"] = spread(0.0401, 0.0149, 0.05);
  const Finding waits = claim_named("mxnet.sync_functions_wait")
                            .judge(measured_of("sync_functions", {{"sync_functions", seconds}}));
  EXPECT_EQ(waits.holds, false);
  EXPECT_THAT(waits.measured, HasSubstr("print is 74.5 % of execution (limit: at least 90 %): "
                                        "14.9 ms of 20.0 ms (least times)"));
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
