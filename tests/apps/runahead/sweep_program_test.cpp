#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/affinity.h"
#include "core/base/json.h"
#include "core/record/record_file.h"
#include "program_fixture.h"

namespace runahead {
namespace {

using record::Status;
using test::ProgramEnd;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SweepProgram : public test::ProgramTest {
 protected:
  void set_modes(const std::string& modes) { environment_["STUB_CELL_MODES"] = modes; }

  [[nodiscard]] std::vector<record::Record> records() const {
    return record::read_records(folder() / "out" / "records.jsonl");
  }

  [[nodiscard]] std::vector<Status> statuses() const {
    std::vector<Status> all;
    for (const record::Record& record : records()) all.push_back(record.status);
    return all;
  }
};

TEST_F(SweepProgram, RunsEveryCellAndPrintsATable) {
  const ProgramEnd end = runahead({"sweep", sweep_of_seeds(2, {{"repeats", 2}}), "--out", out()});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, HasSubstr("seed  states  issue time  total time"));
  EXPECT_THAT(end.out, HasSubstr("1     ok          1.25 s      2.50 s"));
  EXPECT_THAT(end.err, HasSubstr("[4/4] ok  seed=1  repeat 1  "));
  EXPECT_THAT(statuses(), ElementsAre(Status::kOk, Status::kOk, Status::kOk, Status::kOk));
  EXPECT_TRUE(std::filesystem::exists(folder() / "out" / "sweep.json"));
  const std::filesystem::directory_iterator cells(folder() / "out" / "cells");
  EXPECT_EQ(std::distance(cells, std::filesystem::directory_iterator()), 4);
}

TEST_F(SweepProgram, PrintsOneJsonDocument) {
  const ProgramEnd end = runahead({"sweep", sweep_of_seeds(2), "--out", out(), "--json"});

  const Json document = Json::parse(end.out);
  EXPECT_EQ(document["all_ok"], true);
  EXPECT_EQ(document["cells"][1]["axes"]["/seed"], 1);
  EXPECT_EQ(document["cells"][1]["total_seconds"]["median"], 2.5);
  EXPECT_THAT(end.err,
              ContainsRegex("\\[1/2\\] ok  seed=0  repeat 0  [0-9.]+ m?s\n\\[2/2\\] ok  seed=1"));
  EXPECT_THAT(end.err, Not(HasSubstr("\033")));  // No terminal.
  const Json& cost = document["cost"];
  EXPECT_EQ(cost["runs"], 2);
  EXPECT_GT(cost["cells_wall_seconds"], 0.0);
  EXPECT_GE(cost["wall_seconds"], cost["cells_wall_seconds"]);
  EXPECT_GT(cost["rss_peak_bytes"], 0);
}

TEST_F(SweepProgram, RunsAgainTheStatesGivenToRetry) {
  const std::string sweep = sweep_of_seeds(3);
  set_modes("1=failed,2=segv");
  EXPECT_EQ(runahead({"sweep", sweep, "--out", out()}).exit_code, 4);
  set_modes("ok");
  const ProgramEnd kept = runahead({"sweep", sweep, "--out", out()});
  EXPECT_EQ(kept.exit_code, 4);
  EXPECT_THAT(kept.err, HasSubstr("every run has ended; `--retry crashed,failed` reruns"));
  const ProgramEnd end =
      runahead({"sweep", sweep, "--out", out(), "--progress", "--retry", "failed,timed_out"});

  EXPECT_EQ(end.exit_code, 4);
  EXPECT_THAT(end.err, HasSubstr("[3/3] ok  seed=1"));
  EXPECT_THAT(end.err, Not(HasSubstr("seed=0")));
  EXPECT_THAT(statuses(), ElementsAre(Status::kOk, Status::kFailed, Status::kCrashed, Status::kOk));
}

TEST_F(SweepProgram, StartsAfreshAndKeepsWhatWasThere) {
  const std::string sweep = sweep_of_seeds(2);
  EXPECT_EQ(runahead({"sweep", sweep, "--out", out()}).exit_code, 0);
  const ProgramEnd end = runahead({"sweep", sweep, "--out", out(), "--fresh", "--progress"});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, HasSubstr("[1/2] ok"));
  EXPECT_EQ(records().size(), 2U);
  EXPECT_EQ(record::read_records(folder() / "out" / "earlier-1" / "records.jsonl").size(), 2U);
}

TEST_F(SweepProgram, EstimatesFromWhatHasRun) {
  EXPECT_EQ(runahead({"sweep", sweep_of_seeds(1), "--out", out()}).exit_code, 0);
  const ProgramEnd end = runahead({"sweep", sweep_of_seeds(3), "--out", out(), "--dry-run"});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, HasSubstr("2 runs left: about "));
}

TEST_F(SweepProgram, RunsOnlyTheCellsThatAFolderDoesNotHoldWhenItIsExtended) {
  EXPECT_EQ(runahead({"sweep", sweep_of_seeds(1), "--out", out()}).exit_code, 0);
  const ProgramEnd refused = runahead({"sweep", sweep_of_seeds(2), "--out", out()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("value number 2 of /axes \"/seed\" is missing in its sweep.json"));
  const ProgramEnd end = runahead({"sweep", sweep_of_seeds(2), "--out", out(), "--extend"});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(records().size(), 2U);
}

TEST_F(SweepProgram, WarnsOfCellsThatShareCpus) {
  const auto warning_of = [&](const std::string& jobs) {
    return runahead({"sweep", sweep_of_seeds(3), "--dry-run", "--jobs", jobs}).err;
  };

  EXPECT_THAT(warning_of("1000"), HasSubstr("1000 cells at once share "));
  EXPECT_EQ(warning_of("1"), "");
  const int cells = static_cast<int>(allowed_cpus().size()) + 1;
  const std::string all = std::to_string(cells);
  environment_["STUB_CELL_GATE"] = (folder() / "gate").string();
  std::string modes = std::to_string(cells - 1) + "=opens_gate";
  for (int seed = 0; seed < cells - 1; ++seed) modes += "," + std::to_string(seed) + "=gated";
  set_modes(modes);
  EXPECT_THAT(
      runahead({"sweep", sweep_of_seeds(cells), "--out", out(), "--jobs", all}).err,
      AllOf(HasSubstr(all + " cells at once share "), HasSubstr(all + " runs shared CPUs: do")));
}

TEST_F(SweepProgram, ChangesValuesOfTheSweepAndItsBase) {
  file("base.json", R"({"experiment": "train", "sync": {"policy": "window", "batches": 3}})");
  const std::string sweep =
      file("some.json", R"({"base": "base.json", "axes": {"/seed": [1, 2]}})");
  const ProgramEnd end = runahead({"sweep", sweep, "--out", out(), "--set", "/repeats=2", "--set",
                                   "/base/batches=5", "--set", "/base/sync/policy=none"});

  ASSERT_EQ(end.exit_code, 0) << end.err;
  const Json resolved = Json::parse(test::read_text(folder() / "out" / "sweep.json"));
  EXPECT_EQ(records().size(), 4U);
  EXPECT_EQ(resolved["base"]["batches"], 5);
  EXPECT_EQ(resolved["base"]["sync"], Json({{"policy", "none"}}));
}

TEST_F(SweepProgram, JudgesEveryRunByABound) {
  const std::string sweep = sweep_of_seeds(3, {{"repeats", 2}});
  set_modes("1=segv");
  EXPECT_EQ(runahead({"sweep", sweep, "--out", out()}).exit_code, 4);
  const auto judged = [&](const std::string& condition) {
    return runahead({"sweep", sweep, "--out", out(), "--fail-if", condition});
  };

  const ProgramEnd end = judged("time.total_seconds > 3s");
  EXPECT_EQ(end.exit_code, 6);
  EXPECT_THAT(end.err,
              AllOf(HasSubstr("3s': seed=2 repeat 1: it is 3.50 s, 500 ms (16.7 %) above"),
                    HasSubstr("seed=1 repeat 0: it was not measured"), Not(HasSubstr("seed=0"))));
  set_modes("ok");
  EXPECT_EQ(runahead({"sweep", sweep, "--out", out(), "--retry", "crashed", "--fail-if",
                      "total_seconds > 4s", "--fail-if", "batches_peak != 7"})
                .exit_code,
            2);
  EXPECT_EQ(runahead({"sweep", sweep, "--out", out(), "--retry", "crashed"}).exit_code, 0);
  EXPECT_EQ(judged("total_seconds > 4s").exit_code, 0);
}

TEST_F(SweepProgram, SkipsCellsThatCannotRun) {
  const std::string sweep =
      file("some.json", R"({"base": {"experiment": "train"}, "axes": {"/batches": [0, 3]}})");
  const ProgramEnd end = runahead({"sweep", sweep, "--out", out()});

  EXPECT_EQ(end.exit_code, 4);
  EXPECT_THAT(end.err, HasSubstr("1 of 2 cells cannot run and are skipped; the first: batches=0"));
  EXPECT_THAT(end.err, HasSubstr("[1/2] skipped  batches=0  repeat 0: /batches: found 0"));
  EXPECT_THAT(statuses(), ElementsAre(Status::kSkipped, Status::kOk));
}

}  // namespace
}  // namespace runahead
