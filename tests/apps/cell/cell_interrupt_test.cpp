// Ctrl-C, however deep the queue is: exit code 130 and a record of what was measured, at once.
#include <signal.h>
#include <time.h>

#include <algorithm>

#include "cell_fixture.h"
#include "support/gate.h"

namespace runahead {
namespace {

using record::Status;
using test::Program;
using test::ProgramEnd;

class CellInterrupt : public test::CellTest {
 protected:
  /// Events of the trace that satisfy `is_counted`.
  template <typename Condition>
  [[nodiscard]] std::int64_t count_events(Condition is_counted) const {
    const Json trace =
        read_json_file(folder() / "out" / "trace.json", {.bytes = std::size_t{256} << 20});
    const Json& events = trace["traceEvents"];
    return std::count_if(events.begin(), events.end(), is_counted);
  }

  /// Blocks until the program has written `text` to stderr.
  void wait_for_stderr(const std::string& text) const {
    wait_until(
        [&] { return test::read_text(folder() / "program.err").find(text) != std::string::npos; },
        "'" + text + "'");
  }

  /// Blocks until the program has used `seconds` of CPU time more, however busy the machine is.
  static void wait_for_cpu_seconds(const Program& program, double seconds) {
    clockid_t clock{};
    ASSERT_EQ(::clock_getcpuclockid(program.id(), &clock), 0);
    const auto cpu_seconds = [clock] {
      timespec time{};
      ::clock_gettime(clock, &time);
      return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double goal = cpu_seconds() + seconds;
    wait_until([&] { return cpu_seconds() >= goal; }, "that much computation");
  }
};

TEST_F(CellInterrupt, RunThatWaitsEachBatchEndsBeforeTheNext) {
  Program run = start(
      {"run", config({{"batches", 1'000'000}, {"sync", {{"wait", "print"}}}}), "--out", out()});
  wait_for_stderr("loss ");
  run.send(SIGINT);
  const ProgramEnd end = run.wait();

  EXPECT_EQ(end.exit_code, 130) << end.err;
  EXPECT_EQ(record().status, Status::kInterrupted);
  EXPECT_TRUE(record().loss.last);
  EXPECT_GE(record().results.at("batches_finished"), 1);
}

TEST_F(CellInterrupt, SignalThatComesWhileTheProgramIsLoadedEndsItInOrder) {
  // As `runahead run` leaves it: blocked until the program looks at it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Program run = start({"run", config({{"batches", 1'000'000}}), "--out", out()});
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  run.send(SIGINT);
  const ProgramEnd end = run.wait();

  EXPECT_EQ(end.exit_code, 130) << end.err;
  EXPECT_EQ(record().status, Status::kInterrupted);
}

TEST_F(CellInterrupt, DeepQueueIsNotDrained) {
  // A batch takes the back end some 50 ms: the queue of 20,000 would take a quarter of an hour.
  const Json slow = {{"batches", 20'000},
                     {"model", {{"layers", {4096, 1}}}},
                     {"data", {{"features", 64}, {"batch_size", 1024}}},
                     {"sync", {{"policy", "none"}}},
                     {"acpu", {{"limit", {{"operations", 20'000}}}}}};
  Program run = start({"run", config(slow), "--out", out(), "--progress", "--trace"});
  wait_for_stderr("issued 1");
  run.send(SIGTERM);
  const ProgramEnd end = run.wait();

  EXPECT_EQ(end.exit_code, 128 + SIGTERM) << end.err;
  EXPECT_EQ(record().status, Status::kInterrupted);
  EXPECT_TRUE(record().time.issue_seconds && record().time.total_seconds);
  EXPECT_EQ(record().loss.last, std::nullopt);
  EXPECT_GT(record().backlog.batches_peak.value(), 10);
  EXPECT_TRUE(record().memory.held_peak_bytes);
  EXPECT_TRUE(std::filesystem::exists(folder() / "out" / "samples.csv"));
  EXPECT_LE(count_events([](const Json& event) {
              return event.contains("args") && event["args"].contains("unfinished");
            }),
            1)
      << "or none, between two operations";
}

TEST_F(CellInterrupt, RunThatIsStuckInOneOperationIsConcludedWithoutIt) {
  // The middle layer takes 10^12 multiplications and additions: half a minute in one operation.
  const Json stuck = {{"device", "cpu"},
                      {"warmup_batches", 0},
                      {"model", {{"layers", {8192, 8192, 1}}}},
                      {"data", {{"features", 16}, {"batch_size", 8192}}}};
  Program run = start({"run", config(stuck), "--out", out(), "--progress", "--trace"});
  wait_for_stderr("issued ");
  wait_for_cpu_seconds(run, 2.0);  // Far more than it takes to get there, and less than it takes.
  run.send(SIGINT);
  const ProgramEnd end = run.wait();

  EXPECT_EQ(end.exit_code, 130) << end.err;
  EXPECT_EQ(record().status, Status::kInterrupted);
  EXPECT_EQ(count_events([](const Json& event) { return event["name"] == "batch 1"; }), 1);
}

}  // namespace
}  // namespace runahead
