#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/record/record.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"
#include "core/reproduce/measured.h"
#include "core/reproduce/reproduction.h"
#include "support/recorded_runner.h"

namespace runahead::reproduce {
namespace {

using runahead::test::RecordedRunner;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A record of a run that ended ok with these results.
record::Record record_with(const Json& results, const Json& config = {{"experiment", "train"}}) {
  record::Record record =
      record::make_record(config::read_experiment(config, "test"), 0, Json::object());
  record.results = results;
  return record;
}

/// A figure as a program that repeats itself records it.
Json spread(double median, double min, double max) {
  return {{"median", median}, {"min", min}, {"max", max}, {"count", 7}};
}

/// One run, of one process.
Measured measured_of(const std::string& run, const Json& results) {
  Measured measured;
  measured.add(run, record_with(results));
  return measured;
}

// How claims are judged: each judge on either side of its bound, and what it makes of figures that
// are missing.

const Place kPart{"run", "/results/part_seconds"};
const Place kWhole{"run", "/results/whole_seconds"};
const Place kValue{"run", "/results/value"};

Measured times(const Json& part, const Json& whole) {
  return measured_of("run", {{"part_seconds", part}, {"whole_seconds", whole}});
}

Measured value(const Json& value) { return measured_of("run", {{"value", value}}); }

/// Two runs of as many processes as there are times.
Measured processes(const std::vector<double>& one, const std::vector<double>& other) {
  Measured measured;
  for (const double seconds : one) measured.add("one", record_with({{"seconds", seconds}}));
  for (const double seconds : other) measured.add("other", record_with({{"seconds", seconds}}));
  return measured;
}

Judge judge_of_pairs() {
  return share_of_pairs({"one", "/results/seconds"}, at_most(1.05), {"other", "/results/seconds"});
}

TEST(Judges, HoldUpToTheirBoundAndAreNotMeasuredWithoutAFigure) {
  const auto median_of = [](double part) {
    return times(spread(part, 0.1, 50.0), spread(10.0, 1.0, 11.0));
  };
  const auto least_of = [](double part) {
    return times(spread(99.0, part, 99.0), spread(11.0, 10.0, 12.0));
  };
  struct Case {
    Judge judge{};
    Measured holds{};
    Measured fails{};
    Measured lacks{};
  };
  const Case cases[] = {
      {share_of_medians(kPart, below(0.1), kWhole), median_of(0.9), median_of(1.0),
       times(1.0, nullptr)},
      {share_of_least(kPart, at_most(1.05), kWhole), least_of(10.5), least_of(10.6),
       times(nullptr, 1.0)},
      {fact_holds(kValue), value(true), value(false), value(nullptr)},
      {median_is(kValue, between(0.8, 1.25)), value(0.8), value(0.79), value("text")},
      {median_is(kValue, between(0.8, 1.25)), value(1.25), value(1.26), {}},
      {text_is(kValue, "front_end"), value("front_end"), value("back_end"), value(1)},
      // Both were twice as slow in the second pair.
      {judge_of_pairs(), processes({1.0, 2.0, 1.5}, {1.0, 2.0, 1.0}),
       processes({1.1, 2.0, 1.5}, {1.0, 2.0, 1.0}), processes({1.0, 1.0}, {1.0})},
      {judge_of_pairs(), processes({1.05}, {1.0}), processes({1.06}, {1.0}),
       processes({1.0}, {0.0})},
  };
  int number = 0;
  for (const Case& example : cases) {
    SCOPED_TRACE(number++);
    EXPECT_EQ(example.judge(example.holds).holds, true);
    EXPECT_EQ(example.judge(example.fails).holds, false);
    EXPECT_EQ(example.judge(example.lacks).holds, std::nullopt);
    EXPECT_THAT(example.judge(example.lacks).measured, HasSubstr("not measured"));
  }
}

TEST(Judges, GiveTheFiguresOfTheVerdictAsEvidence) {
  const Measured found = times(spread(50.8e-6, 20e-6, 90e-6), spread(4.41e-3, 4e-3, 5e-3));
  const std::pair<Judge, const char*> cases[] = {
      {share_of_medians(kPart, below(0.1), kWhole),
       "part is 1.15 % of whole (limit: below 10 %): 50.8 µs of 4.41 ms"},
      {share_of_least(kPart, at_least(0.9), kWhole),
       "part is 0.5 % of whole (limit: at least 90 %): 20.0 µs of 4.00 ms (least times)"},
      {median_is(kWhole, above(9000.0)), "whole is 0.00441 (limit: above 9,000)"}};
  for (const auto& [judge, evidence] : cases) EXPECT_EQ(judge(found).measured, evidence);

  const Finding pairs = judge_of_pairs()(processes({1.0, 2.0, 1.5}, {1.0, 2.5, 1.0}));
  EXPECT_EQ(
      pairs.measured,
      "one, seconds is 100 % of other, seconds (limit: at most 105 %): the median of 3 pairs, "
      "from 80 % to 150 %");
  EXPECT_EQ(pairs.values["one seconds"], Json({1.0, 2.0, 1.5}));
  EXPECT_EQ(cases[0].first(found).values["part_seconds"]["max"], 90e-6);
}

TEST(Judges, OfSeveralPartsHoldIfEachDoes) {
  const auto found = [](std::optional<bool> holds) -> Judge {
    return [holds](const Measured&) { return Finding{.holds = holds, .measured = "part"}; };
  };

  EXPECT_EQ(all_of({found(true), found(true)})({}).holds, true);
  EXPECT_EQ(all_of({found(true), found(false)})({}).holds, false);
  EXPECT_EQ(all_of({found(false), found(std::nullopt), found(true)})({}).holds, std::nullopt);
  EXPECT_EQ(all_of({found(true), found(true)})({}).measured, "part; part");
}

TEST(Measured, TakesMediansOverTheProcessesAndNothingIfOneLacksIt) {
  Measured measured;
  for (const double bytes : {30.0, 10.0, 20.0}) {
    Json results{{"peak", bytes}, {"kept", true}, {"lost", bytes > 10.0}};
    if (bytes > 10.0) results["some"] = bytes;
    measured.add("run", record_with(results));
  }
  record::Record failed = record_with({{"peak", 1.0}});
  failed.status = record::Status::kFailed;
  failed.error = "operator 'mm' failed";
  measured.add("failed", failed);

  EXPECT_EQ(measured.figure("run", "/results/peak")->median, 20.0);
  EXPECT_EQ(measured.figures("run", "/results/peak"), (std::vector<double>{30.0, 10.0, 20.0}));
  EXPECT_EQ(measured.figure("run", "/results/some"), std::nullopt);
  EXPECT_EQ(measured.fact("run", "/results/kept"), true);
  EXPECT_EQ(measured.fact("run", "/results/lost"), false);
  EXPECT_EQ(measured.figure("failed", "/results/peak"), std::nullopt);
  EXPECT_EQ(measured.reason("failed"), "the run 'failed' is failed: operator 'mm' failed");
  EXPECT_THAT(measured.reason("run"), HasSubstr("did not measure it"));
  EXPECT_THAT(measured.reason("other"), HasSubstr("was not made"));
  EXPECT_EQ(measured.take_asked(), (std::set<std::string>{"run", "failed"}));
}

constexpr double kInputBytes = 64 * 8 * 4;  // Of a batch.
const RunPair kRuns{"short", "long"};

record::Record run_of(int batches, double peak_bytes, bool is_counted) {
  record::Record record =
      record_with(Json::object(), {{"experiment", "train"},
                                   {"batches", batches},
                                   {"data", {{"batch_size", 64}, {"features", 8}}}});
  if (is_counted) record.results["occupied_peak_bytes"] = peak_bytes;
  record.memory.rss_growth_bytes = is_counted ? 7 : static_cast<std::uint64_t>(peak_bytes);
  return record;
}

/// 10 and 20 batches; each of the latter ten raises the peak by so many batches' inputs.
Measured growing(double inputs_a_batch, bool is_counted = true) {
  Measured measured;
  measured.add("short", run_of(10, 1e6, is_counted));
  measured.add("long", run_of(20, 1e6 + 10 * inputs_a_batch * kInputBytes, is_counted));
  return measured;
}

TEST(Growth, OfThePeakIsCountedInInputsOfABatch) {
  EXPECT_EQ(peak_grows(kRuns)(growing(0.5)).holds, true);
  EXPECT_EQ(peak_grows(kRuns)(growing(0.4)).holds, false);
  EXPECT_EQ(peak_grows(kRuns)(growing(-1.0)).holds, false);
  EXPECT_EQ(peak_is_constant(kRuns)(growing(0.1)).holds, true);
  EXPECT_EQ(peak_is_constant(kRuns)(growing(-0.3)).holds, true);
  EXPECT_EQ(peak_is_constant(kRuns)(growing(0.2)).holds, false);
  EXPECT_EQ(peak_grows(kRuns)({}).holds, std::nullopt);

  const Finding of_rss = peak_grows(kRuns)(growing(1.0, /*is_counted=*/false));
  EXPECT_EQ(of_rss.holds, true);
  EXPECT_THAT(of_rss.measured, HasSubstr("RSS growth"));
}

TEST(Growth, IsLeftInTheEndFromHalfOfItOn) {
  const auto found = [](std::uint64_t end_megabytes, std::uint64_t growth_megabytes = 50) {
    record::Record record = run_of(10, 0.0, true);
    record.memory.rss_baseline_bytes = 100'000'000;
    record.memory.rss_growth_bytes = growth_megabytes * 1'000'000;
    record.memory.rss_end_bytes = end_megabytes * 1'000'000;
    Measured measured;
    measured.add("run", record);
    return growth_is_left_in_the_end("run")(measured).holds;
  };

  EXPECT_EQ(found(125), true);
  EXPECT_EQ(found(120), false);
  EXPECT_EQ(found(100, 0), std::nullopt) << "nothing had grown";
}

// Claims that look at several figures, on either side of their bounds. All others, and the runs
// that they rest on, are in tests/apps/runahead/golden/reproduce_plan.txt.

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
      measured.add(run, record_with(results));
    }
    const Finding finding = claim_named(row["claim"]).judge(measured);

    EXPECT_EQ(finding.holds, row["holds"].get<bool>());
    EXPECT_THAT(finding.measured, HasSubstr(row.value("measured", "")));
  }
}

// What is measured again, and what an interrupt leaves, is in
// tests/apps/runahead/golden/reproduce_runs.txt.

/// Each run ends with the next of `records`.
RecordedRunner runner_of(const std::vector<record::Record>& records) {
  return RecordedRunner([records, run = std::size_t{0}](const auto&, const auto&) mutable {
    return records.at(run++);
  });
}

record::Record record_with_cpu_share(double share) {
  record::Record record = record_with({{"share", share}});
  record.time.total_seconds = 10.0;
  record.time.cpu_seconds = 10.0 * share;
  return record;
}

std::vector<record::Record> records_of(const std::vector<double>& shares) {
  std::vector<record::Record> records;
  for (const double share : shares) records.push_back(record_with_cpu_share(share));
  return records;
}

ReproduceJob job_of(const std::string& run, const std::string& experiment = "train") {
  ReproduceJob job{.run = run, .device = "acpu"};
  job.cell.config = config::read_experiment({{"experiment", experiment}}, "test");
  return job;
}

/// That the run's share is above 0.8.
Claim claim_on(const std::string& run) {
  return {.id = run,
          .expected = {.on_acpu = Expectation::kHolds},
          .judge = [run](const Measured& measured) {
            const auto share = measured.figure(run, "/results/share");
            return Finding{.holds = share ? std::optional(share->median > 0.8) : std::nullopt};
          }};
}

std::optional<bool> verdict_of(const Reproduction& reproduction, const std::string& run) {
  const std::vector<Claim> claims{claim_on(run)};
  return reproduction.verdicts(claims, "acpu").at(0).finding.holds;
}

TEST(Reproduction, RunsATrainingOnceMoreIfItDidNotHaveTheCpu) {
  struct Case {
    std::string experiment{};
    std::vector<double> shares{};
    bool holds = false;
  };
  const Case cases[] = {{"train", {0.5, 1.0}, true},
                        {"train", {0.5, 0.6}, false},
                        {"front_end", {0.5}, false}};  // It repeats itself.
  for (const Case& example : cases) {
    auto runner = runner_of(records_of(example.shares));
    Reproduction reproduction;
    reproduction.run({job_of("run", example.experiment)}, /*claims=*/{},
                     {.runner = runner, .on_end = [](auto&&...) {}});

    EXPECT_EQ(runner.cells.size(), example.shares.size());
    EXPECT_EQ(verdict_of(reproduction, "run"), example.holds);
  }
}

}  // namespace
}  // namespace runahead::reproduce
