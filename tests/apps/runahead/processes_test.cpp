#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/runahead/program_meter.h"
#include "apps/runahead/seen_processes.h"
#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/command/tree_monitor.h"
#include "support/golden.h"
#include "support/text_file.h"

namespace runahead::apps {
namespace {

using ::testing::HasSubstr;

class ProgramMeterTest : public ::testing::Test {
 protected:
  ProgramCost run_shell(const std::string& script) { return meter_.run("/bin/sh", {"-c", script}); }

  /// What goes wrong when this runs, in words.
  std::string failure_of_shell(const std::string& script) {
    try {
      run_shell(script);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  ScratchFolder folder_;
  ProgramMeter meter_{folder_.path(), {{"GREETING", "good day"}}};
};

TEST_F(ProgramMeterTest, ReportsWhatAProgramTookAndKeepsTheOutputOfTheLastAlone) {
  run_shell("echo much more than the next one");
  const ProgramCost cost = run_shell("echo \"$GREETING\"");

  EXPECT_EQ(test::read_text(meter_.stdout_path()), "good day\n");
  EXPECT_GT(cost.wall_seconds, 0.0);
  EXPECT_GT(cost.rss_peak_bytes, 0U);
}

TEST_F(ProgramMeterTest, ReportsHowAProgramFailedAndItsLastWords) {
  const std::string code = failure_of_shell("echo one >&2; echo two >&2; exit 3");
  EXPECT_THAT(code, HasSubstr("exit code 3"));
  EXPECT_THAT(code, HasSubstr("two"));
  EXPECT_THAT(failure_of_shell("kill -KILL $$"), HasSubstr("signal 9"));
  EXPECT_THROW(meter_.run("/nowhere/program", {}), Error);
}

TEST_F(ProgramMeterTest, EndsTheProgramWhenInterruptedAndRunsNoOther) {
  const std::string parent = std::to_string(::getpid());
  EXPECT_THROW(run_shell("kill -INT " + parent + "; while :; do sleep 0.01; done"),
               InterruptedError);
  EXPECT_THROW(run_shell("exit 0"), InterruptedError);
}

const TimePoint kOrigin = TimePoint(std::chrono::seconds(100));

memory::SeenProcess process(int number, const char* name, int seconds,
                            std::optional<std::uint64_t> peak_bytes = {}) {
  return {.process_id = number,
          .name = name,
          .first_seen = kOrigin,
          .last_seen = kOrigin + std::chrono::seconds(seconds),
          .rss_peak_bytes = peak_bytes};
}

// Ten by their peaks and the others in one row.
TEST(SeenProcesses, AreATableAndAFileNextToTheSamples) {
  std::vector<memory::SeenProcess> seen{process(7, "python, \"3\"\n", 15, 2'500'000),
                                        process(8, "sh", 0)};
  const ScratchFolder folder;
  const auto path = seen_processes_path(folder.path() / "m.csv");
  write_seen_processes(path, seen, kOrigin, "python\xff 3.py\n",
                       {.bytes = 3'000'000, .is_upper_bound = true});
  const std::string two = seen_processes_table(seen, kOrigin);
  for (int number = 1; number <= 11; ++number) {
    seen.push_back(process(number, "worker", number, std::uint64_t(number) * 1'000'000));
  }

  EXPECT_EQ(path.filename(), "m.processes.csv");
  test::expect_golden(
      RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/seen_processes.txt",
      test::read_text(path) + "\n" + two + "\n" + seen_processes_table(seen, kOrigin));
}

}  // namespace
}  // namespace runahead::apps

namespace runahead::command {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr double kAtOnce = kLeastSeenSeconds / 2;
constexpr double kForLong = kLeastSeenSeconds * 2;

/// The kernel's peak of a child that has ended.
std::uint64_t peak_of_a_child() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

TEST(TreePeak, IsThatOfTheSamplesUnlessItMustBeTheKernels) {
  const std::uint64_t kernels = peak_of_a_child();
  struct Row {
    SampledPeak sampled;
    std::uint64_t own_bytes;
    TreePeak peak;
  };
  const Row rows[] = {
      {{.bytes = kPage, .seen_seconds = kAtOnce}, kernels, {kernels, /*is_upper_bound=*/true}},
      {{}, kernels, {kernels, /*is_upper_bound=*/true}},
      {{.bytes = kPage, .seen_seconds = kForLong}, kernels / 2, {kernels}},
      {{.bytes = kPage, .seen_seconds = kForLong}, kernels, {kPage}},
      {{.bytes = kernels + 1, .seen_seconds = kAtOnce}, kernels / 2, {kernels + 1}},
  };
  for (const Row& row : rows) EXPECT_EQ(tree_peak(row.sampled, row.own_bytes), row.peak);
}

}  // namespace
}  // namespace runahead::command
