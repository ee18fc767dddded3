// The kind `program`: commands as experiments and as cells of sweeps, without runahead-cell.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "core/record/record_file.h"
#include "program_fixture.h"
#include "support/fifo.h"

namespace runahead {
namespace {

using record::Record;
using record::Status;
using test::ProgramEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ProgramKind : public test::ProgramTest {
 protected:
  ProgramKind() { environment_["RUNAHEAD_CELL"] = "/nowhere"; }

  /// The config of a script of the shell, in which {x} stands for `x`.
  static Json shell(const std::string& script, const Json& x = nullptr) {
    Json config = {{"experiment", "program"},
                   {"command", {"sh", "-c", script}},
                   {"environment", {{"NAME", "value"}}}};
    if (!x.is_null()) config["arguments"] = {{"x", x}};
    return config;
  }

  ProgramEnd run(const Json& config) {
    return runahead({"run", file("program.json", config.dump()), "--out", out()});
  }

  ProgramEnd sweep(const Json& base, const Json& xs, const Json& more = Json::object()) {
    Json sweep = {{"base", base}, {"axes", {{"/arguments/x", xs}}}};
    sweep.update(more);
    return runahead({"sweep", file("sweep.json", sweep.dump()), "--out", out()});
  }

  [[nodiscard]] Record record() const {
    return record::read_record(std::filesystem::path(out()) / "record.json");
  }
  [[nodiscard]] std::vector<Record> records() const {
    return record::read_records(std::filesystem::path(out()) / "records.jsonl");
  }
};

TEST_F(ProgramKind, RunsACommandAndMeasuresItFromOutside) {
  const ProgramEnd end =
      run(shell("echo \"$NAME {x}\"; python3 -c 'x = bytearray(50 << 20)'; exit 0", "a b"));

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("value a b\n"));
  EXPECT_THAT(end.out, AllOf(HasSubstr("program"), HasSubstr("ok"), HasSubstr("total time"),
                             HasSubstr("RSS growth"), HasSubstr(out())));
  EXPECT_GT(record().memory.rss_peak_bytes, 50U << 20);
  EXPECT_EQ(record().memory.rss_growth_bytes, record().memory.rss_peak_bytes);
  EXPECT_GT(record().time.total_seconds, 0.0);
  EXPECT_GT(record().time.cpu_seconds, 0.0);
  EXPECT_TRUE(parse_json(test::read_text(out() + "/record.json"), "record")["device"].is_null());
  EXPECT_EQ(record().results["program"]["exit_code"], 0);
  EXPECT_EQ(record().results["program"]["is_recorded"], false);
  EXPECT_TRUE(std::filesystem::exists(out() + "/samples.csv"));
}

TEST_F(ProgramKind, CountsNoProcessesWhereItSawNone) {
  Json config = shell("exit 0");
  config["monitor"] = {{"rate_hz", 0}};
  EXPECT_EQ(run(config).exit_code, 0);
  EXPECT_TRUE(record().results["program"]["processes"].is_null());
}

TEST_F(ProgramKind, SweepsArgumentsUnderLimitsAndResumes) {
  const Json base = shell(
      "case {x} in 0) ;; 1) echo why >&2; exit 7 ;; 2) exec sleep 100 ;; "
      "3) exec python3 -c 'import time; x = bytearray(1 << 30); time.sleep(100)' ;; "
      "4) kill -SEGV $$ ;; esac",
      0);
  const Json limits = {{"timeout", "5s"}, {"memory_limit", "600MiB"}};
  const ProgramEnd end = sweep(base, {0, 1, 2, 3, 4}, limits);

  EXPECT_EQ(end.exit_code, 4) << end.err;
  ASSERT_EQ(records().size(), 5U);
  EXPECT_EQ(records()[0].status, Status::kOk);
  EXPECT_EQ(records()[1].status, Status::kFailed);
  EXPECT_EQ(records()[1].error, "the command ended with exit code 7; its last words: why");
  EXPECT_EQ(records()[2].status, Status::kTimedOut);
  EXPECT_EQ(records()[3].status, Status::kOutOfMemory);
  EXPECT_EQ(records()[4].status, Status::kCrashed);
  EXPECT_THAT(sweep(base, {0, 1, 2, 3, 4}, limits).err, HasSubstr("every run has ended"));
}

TEST_F(ProgramKind, MergesWhatTheCommandRecords) {
  Record own;
  own.experiment = "recording";
  own.device = "cuda:0";
  own.status = Status::kOutOfMemory;
  own.error = "aten::mm found no memory";
  own.time.examples_per_second = 1000.0;
  own.memory.rss_peak_bytes = 123;
  own.environment.torch = "2.11";
  own.results = {{"batches_issued", 3}};
  const std::string recorded = file("own.json", dump_json(record::to_json(own)));
  const ProgramEnd end =
      run(shell("mkdir -p $RUNAHEAD_RECORD; cd $RUNAHEAD_RECORD; echo $RUNAHEAD_"
                "RECORD_TRACE > samples.csv; cp " +
                recorded + " record.json; exit 1"));

  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(record().status, Status::kOutOfMemory);
  EXPECT_EQ(record().error, own.error);
  EXPECT_EQ(record().experiment, "program");
  EXPECT_EQ(record().device, "cuda:0");
  EXPECT_EQ(record().environment.torch, "2.11");
  EXPECT_EQ(record().time.examples_per_second, 1000.0);
  EXPECT_GT(record().time.total_seconds, 0.0);
  EXPECT_EQ(record().memory.rss_peak_bytes, 123U);
  EXPECT_EQ(record().results["batches_issued"], 3);
  EXPECT_EQ(record().results["program"]["exit_code"], 1);
  EXPECT_EQ(test::read_text(out() + "/samples.csv"), "0\n");
  EXPECT_FALSE(std::filesystem::exists(out() + "/recording"));
}

TEST_F(ProgramKind, LeavesNothingOfACommandBehind) {
  const std::string pid = (folder() / "pid").string();
  EXPECT_EQ(run(shell("setsid sleep 1000 > /dev/null 2>&1 & echo $! > " + pid)).exit_code, 0);

  EXPECT_EQ(::kill(std::stoi(test::read_text(pid)), 0), -1);
}

TEST_F(ProgramKind, StopsTheCommandWhenItIsInterrupted) {
  test::Fifo started(folder() / "started");
  const std::string config =
      file("program.json", shell("trap 'exit 5' INT; echo > " + started.path().string() +
                                 "; while :; do sleep 0.01; done")
                               .dump());
  test::Program program(folder(), RUNAHEAD, {"run", config, "--out", out()}, environment_);
  started.read_line();
  program.send(SIGTERM);

  EXPECT_EQ(program.wait().exit_code, 128 + SIGTERM);
  EXPECT_EQ(record().status, Status::kInterrupted);
  EXPECT_EQ(record().results["program"]["exit_code"], 5);
}

TEST_F(ProgramKind, RunsASecondTimeWhatSomethingOutsideKilled) {
  const std::string mark = (folder() / "mark").string();
  EXPECT_EQ(
      sweep(shell("test -e " + mark + " || { touch " + mark + "; kill -KILL $$; }; : {x}", 0), {0})
          .exit_code,
      0);

  EXPECT_EQ(records().at(0).cell.attempts, 2);
}

}  // namespace
}  // namespace runahead
