#include "core/sweep/tuner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/recorded_runner.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

using runahead::test::RecordedRunner;
using Change = std::function<void(const Cell&, record::Record&)>;

/// A run has `share(config)` of 1000 examples a second, times seeded noise, and commits 40 MiB with
/// a wait per batch and 400 MiB with none. And what a test changes about that.
RecordedRunner simulated(double noise,
                         const std::function<double(const config::SyncConfig&)>& share,
                         const Change& change = {}) {
  return RecordedRunner([=, random = std::mt19937(7), error = std::normal_distribution(0.0, noise)](
                            const Cell& cell, const CellJob& job) mutable {
    record::Record record = test::record_of(cell, job.repeat, record::Status::kOk);
    const bool is_none = cell.config.sync.policy() == "none";
    record.time.examples_per_second = 1000.0 * share(cell.config.sync) * std::exp(error(random));
    record.memory.committed_peak_bytes = (is_none ? 400 : 40) * kMebibyte;
    record.memory.rss_growth_bytes = 5 * kMebibyte;
    record.results["occupied_peak_bytes"] = 42 * kMebibyte;
    if (change) change(cell, record);
    return record;
  });
}

/// The throughput of a program that is slowed below a window, or below a budget.
std::function<double(const config::SyncConfig&)> needs(std::int64_t window, std::uint64_t bytes) {
  return [=](const config::SyncConfig& sync) {
    const bool is_short = (sync.policy() == "window" && sync.value("batches") < window) ||
                          (sync.policy() == "budget" && sync->budget_bytes() < bytes);
    return is_short ? 0.9 : 1.0;
  };
}

config::ExperimentConfig some_config(const std::string& device = "acpu") {
  return config::read_experiment({{"experiment", "train"},
                                  {"device", device},
                                  {"batches", 30},
                                  {"sync", {{"policy", "every_n"}, {"n", 4}}}},
                                 "test");
}

config::ExperimentConfig some_program() {
  return config::read_experiment({{"experiment", "program"},
                                  {"command", {"train"}},
                                  {"environment", {{"RUNAHEAD_LIMIT", "1GiB"}, {"NAME", "x"}}}},
                                 "test");
}

/// What becomes of a tuning by a simulated runner.
TuneResult tune(RecordedRunner& runner, const TuneOptions& options = {},
                const config::ExperimentConfig& config = some_config()) {
  Tuner tuner(config, runner, options);
  tuner.run();
  return tuner.result();
}

TEST(Tuner, FindsTheSmallestWindowAndBudgetInALittleNoise) {
  auto runner = simulated(0.005, needs(3, 47 * kMebibyte));
  const TuneResult result = tune(runner);

  EXPECT_EQ(result.window->smallest, 3U);
  EXPECT_TRUE(result.window->below_does_not);
  EXPECT_GE(*result.bytes->smallest, 47 * kMebibyte);
  EXPECT_LE(*result.bytes->smallest, 49 * kMebibyte);
  EXPECT_LT(result.cells, 120);
  EXPECT_EQ(result.cells, static_cast<std::int64_t>(runner.cells.size()));
}

TEST(Tuner, SeeksBudgetsFromWhatAWaitPerBatchOccupies) {
  auto runner = simulated(0.0005, needs(1, 1), [](const Cell&, record::Record& record) {
    record.results["occupied_peak_bytes"] = 30 * kMebibyte;  // 40 MiB are committed.
  });

  EXPECT_EQ(tune(runner).bytes->smallest, 30 * kMebibyte);
  auto apart = simulated(0.0005, needs(1, 1), [](const Cell&, record::Record& record) {
    record.results.erase("occupied_peak_bytes");  // As older versions, which had two peaks.
    record.memory.live_peak_bytes = 25 * kMebibyte;
    record.memory.held_peak_bytes = 5 * kMebibyte;
  });
  EXPECT_EQ(tune(apart).bytes->smallest, 30 * kMebibyte);
}

TEST(Tuner, RunsWithoutACheckpointFromWhichTheNextRunWouldResume) {
  config::ExperimentConfig config = some_config();
  config.warmup_batches = 0;
  config.data.kind = "files";
  config.data.files.inputs.path = config.data.files.targets.path = "x.npy";
  config.checkpoint = {.is_on = true, .path = "job.safetensors"};
  auto runner = simulated(0.0005, needs(1, 1));
  static_cast<void>(tune(runner, {}, config));

  for (const Cell& cell : runner.cells) EXPECT_FALSE(cell.config.checkpoint.is_on);
}

TEST(Tuner, FindsThatNoneKeepsIt) {
  auto runner = simulated(0.005, needs(1000, 1000 * kMebibyte));
  const TuneResult result = tune(runner);

  EXPECT_FALSE(result.window->smallest);
  EXPECT_FALSE(result.window->stopped_by_noise);
  EXPECT_FALSE(result.bytes->smallest);
  EXPECT_FALSE(result.reached_most_cells);
}

/// A program that keeps up from 60 MiB on; it reports the time of its loop and no examples.
void run_as_a_program(const Cell& cell, record::Record& record) {
  const auto& variables = cell.config.command.environment;
  const bool waits = variables.contains("RUNAHEAD_BLOCKING");
  const Json limit = waits ? Json("off") : variables.at("RUNAHEAD_LIMIT");
  const bool is_bounded = limit != "off";
  record.device = "acpu";
  record.time.examples_per_second.reset();
  record.time.total_seconds = is_bounded && limit < 60 * kMebibyte ? 1.2 : 1.0;
  record.memory.committed_peak_bytes = (waits ? 40 : 400) * kMebibyte;
  record.results["program"] = {{"is_recorded", true}};
}

TEST(Tuner, BoundsAProgramThroughItsEnvironment) {
  auto runner = simulated(0.0, needs(1, 1), run_as_a_program);
  const TuneResult result = tune(runner, {}, some_program());

  EXPECT_FALSE(result.window);
  EXPECT_GE(*result.bytes->smallest, 60 * kMebibyte);
  EXPECT_LE(*result.bytes->smallest, 63 * kMebibyte);
  EXPECT_TRUE(result.none.examples_per_second.empty());
  const auto& variables = runner.cells.back().config.command.environment;
  EXPECT_EQ(variables.at("NAME"), "x");
  EXPECT_FALSE(variables.contains("RUNAHEAD_BLOCKING"));
}

TEST(Tuner, NeedsAProgramThatRecordsALoopOnTheDevice) {
  auto runner = simulated(0.0, needs(1, 1), [](const Cell& cell, record::Record& record) {
    run_as_a_program(cell, record);
    record.memory.committed_peak_bytes.reset();
    record.results["program"]["is_recorded"] = false;
  });
  const std::string message = runahead::test::error_message<Error>(
      [&] { static_cast<void>(tune(runner, {}, some_program())); });
  EXPECT_NE(message.find("the command recorded no loop of its own"), std::string::npos) << message;
}

TEST(Tuner, ReportsThatNoiseAllowsNoVerdict) {
  auto runner = simulated(0.3, needs(1, 1));
  const TuneResult result = tune(runner);

  EXPECT_FALSE(result.window->smallest);
  EXPECT_TRUE(result.window->stopped_by_noise);
  EXPECT_TRUE(result.bytes->stopped_by_noise);
  for (const TuneCandidate& candidate : result.candidates) {
    EXPECT_EQ(candidate.ratio.verdict(), Verdict::kNone);
    EXPECT_EQ(candidate.ratio.pairs(), PairedRatio::kMostPairs);
  }
}

TEST(Tuner, MeasuresInPairsOfAlternatingOrderWithPolicyAndLimitReplacedAndTheRestKept) {
  auto runner = simulated(0.0005, needs(2, 1));
  static_cast<void>(tune(runner));

  EXPECT_EQ(runner.cells[0].config.sync.policy(), "every_batch");
  EXPECT_EQ(runner.cells[1].config.sync.policy(), "none");
  std::string order;
  for (std::size_t index = 2; index < 8; ++index) {
    order += runner.cells[index].config.sync.policy() == "none" ? 'n' : 'w';
  }
  EXPECT_EQ(order, "wnnwwn");
  for (const Cell& cell : runner.cells) {
    EXPECT_EQ(cell.config.batches, 30);
    EXPECT_EQ(cell.axes["/sync/policy"], config::to_json(cell.config)["sync"]["policy"]);
    if (cell.config.sync.policy() == "budget") {
      EXPECT_EQ(cell.config.acpu.limit.bytes, cell.config.sync->budget_bytes());
    } else {
      EXPECT_EQ(cell.config.acpu.limit.kind, config::LimitConfig::Kind::kOff);
    }
  }
}

TEST(Tuner, MeasuresAPairAgainThatSharedTheCpuUnlessItsSourceSleeps) {
  auto runner = simulated(0.0005, needs(1, 1), [run = 0](const Cell& cell, auto& record) mutable {
    const bool is_disturbed = ++run == 4 || cell.config.data.seconds_per_batch > 0.0;
    record.time.cpu_seconds = is_disturbed ? 1.0 : 2.0;  // The second of a pair.
  });
  const TuneResult result = tune(runner);

  EXPECT_EQ(result.cells, 2 + 2 * (1 + 3 + 3));
  EXPECT_EQ(result.pairs, 7);
  EXPECT_EQ(result.disturbed_pairs, 1);
  config::ExperimentConfig asleep = some_config();
  asleep.data.seconds_per_batch = 0.1;
  EXPECT_EQ(tune(runner, {}, asleep).disturbed_pairs, 0) << "the source sleeps instead";
  auto waiting = simulated(0.0005, needs(1, 1), [run = 0](const Cell&, auto& record) mutable {
    record.time.cpu_seconds = 1.0;
    record.results["busy_seconds"] = ++run == 4 ? 1.2 : 1.1;
  });
  EXPECT_EQ(tune(waiting, {}, asleep).disturbed_pairs, 1)
      << "the device waited for a CPU while the source slept";
}

TEST(Tuner, GivesUpMeasuringAgainInTheEnd) {
  auto runner = simulated(0.0005, needs(1, 1), [](const Cell&, record::Record& record) {
    record.time.cpu_seconds = 0.1;
  });
  const TuneResult result = tune(runner);

  EXPECT_EQ(result.window->smallest, 1U);
  EXPECT_EQ(result.pairs, Tuner::kMostRepeats + 6);
  EXPECT_EQ(result.disturbed_pairs, result.pairs);
}

TEST(Tuner, StopsAtItsBoundOfCells) {
  auto runner = simulated(0.3, needs(1, 1));
  const TuneResult result = tune(runner, {.most_cells = 9});

  EXPECT_EQ(result.cells, 8);
  EXPECT_TRUE(result.reached_most_cells);
  EXPECT_FALSE(result.window->smallest);
  EXPECT_TRUE(result.window->stopped_by_bound);
  EXPECT_FALSE(result.window->stopped_by_noise);
  EXPECT_TRUE(result.bytes->stopped_by_bound);
  EXPECT_EQ(result.candidates.size(), 1U) << "the next is not measured at all";
}

}  // namespace
}  // namespace runahead::sweep
