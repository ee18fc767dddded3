// What is measured again, and what an interrupt leaves, is in
// tests/apps/runahead/golden/reproduce_runs.txt.

#include "core/reproduce/reproduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measured_fixtures.h"
#include "support/recorded_runner.h"

namespace runahead::reproduce {
namespace {

using runahead::test::RecordedRunner;

/// Each run ends with the next of `records`.
RecordedRunner runner_of(const std::vector<record::Record>& records) {
  return RecordedRunner([records, run = std::size_t{0}](const auto&, const auto&) mutable {
    return records.at(run++);
  });
}

record::Record record_with_cpu_share(double share) {
  record::Record record = test::record_with({{"share", share}});
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
