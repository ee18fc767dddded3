// `sweep --launcher slurm` as far as it goes without a Slurm; slurm_test.py has one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "program_fixture.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using ::testing::HasSubstr;

class SlurmLauncher : public test::ProgramTest {
 protected:
  /// Runs a sweep of 20 cells with these words more.
  ProgramEnd sweep(std::vector<std::string> more) {
    std::vector<std::string> arguments{
        "sweep", sweep_of_seeds(20, {{"timeout", 30}, {"memory_limit", "200MB"}}), "--launcher",
        "slurm"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runahead(arguments);
  }

  /// Commands of a Slurm whose sbatch ends when the tasks have, and then knows them no more. It
  /// leaves a line in submitted.txt a call.
  void use_slurm_that_runs_at_once(int sbatch_exit_code) {
    const std::string submitted = (folder() / "submitted.txt").string();
    command(
        "sbatch",
        "for task in 0 1; do SLURM_ARRAY_TASK_ID=$task bash \"$2\" > /dev/null || exit 9; done\n"
        "echo submitted >> '" +
            submitted + "'\necho 7\nexit " + std::to_string(sbatch_exit_code) + "\n");
    command("scontrol", "echo 'MaxArraySize = 1001'\n");
    command("squeue", "");
    command("scancel", "");
    environment_["PATH"] = folder().string() + ":/usr/bin:/bin";
  }

 private:
  void command(const std::string& name, const std::string& text) {
    std::filesystem::permissions(file(name, "#!/bin/bash\n" + text),
                                 std::filesystem::perms::owner_all);
  }
};

TEST_F(SlurmLauncher, PrintsTheScriptAsJson) {
  const Json document = Json::parse(sweep({"--out", out(), "--dry-run", "--json"}).out);

  EXPECT_THAT(document["script"].get<std::string>(), HasSubstr("--array=0-19\n"));
  EXPECT_EQ(document["runs"], 20);
}

TEST_F(SlurmLauncher, AFreshSweepKeepsNoRecordsOfAnEarlierArray) {
  const auto submit = [&](const std::vector<std::string>& more, int sbatch_exit_code) {
    use_slurm_that_runs_at_once(sbatch_exit_code);
    std::vector<std::string> arguments{"sweep", sweep_of_seeds(2), "--out",
                                       out(),   "--launcher",      "slurm"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runahead(arguments).exit_code;
  };
  // The first loses its array after its tasks have left their records.
  EXPECT_EQ(submit({}, 1), 1);
  EXPECT_EQ(submit({"--fresh"}, 0), 0);

  EXPECT_EQ(test::read_text(folder() / "submitted.txt"), "submitted\nsubmitted\n");
}

TEST_F(SlurmLauncher, ALocalFreshSweepClosesWhatIsOpen) {
  const std::filesystem::path array = std::filesystem::path(out()) / "slurm" / "0001";
  std::filesystem::create_directories(array);
  test::write_text(array / "array.json",
                   R"({"name": "runahead-1", "job_id": "12", "settings": {}, "shards": [0]})");
  const ProgramEnd end = runahead({"sweep", sweep_of_seeds(1), "--out", out(), "--fresh"});

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("Slurm array 12 of an earlier sweep"));
  EXPECT_TRUE(std::filesystem::exists(array / "closed"));
}

TEST_F(SlurmLauncher, ShardsRunInAnyOrderAndASweepMergesThem) {
  const std::string config = sweep_of_seeds(3, {{"repeats", 2}});
  for (const char* shard : {"1/2", "0/2"}) {
    const ProgramEnd end = runahead({"sweep", config, "--out", out(), "--shard", shard});
    EXPECT_EQ(end.exit_code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr(std::string("shard ") + shard + ": 3 of 3 runs have ended"));
  }
  EXPECT_FALSE(std::filesystem::exists(out() + "/records.jsonl"));
  const Json merged = Json::parse(runahead({"sweep", config, "--out", out(), "--json"}).out);

  EXPECT_EQ(merged["all_ok"], true);
  EXPECT_EQ(merged["cost"]["runs"], 0);
}

TEST_F(SlurmLauncher, AShardRunsNothingTwiceAndRetriesOnRequest) {
  const std::string config = sweep_of_seeds(4);
  const auto shard = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"sweep", config, "--out", out(), "--shard", "0/2", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Json::parse(runahead(arguments).out);
  };
  environment_["STUB_CELL_MODES"] = "0=failed";
  EXPECT_EQ(shard({})["all_ok"], false);
  environment_["STUB_CELL_MODES"] = "ok";
  EXPECT_EQ(shard({})["cost"]["runs"], 0);
  const Json retried = shard({"--retry", "failed"});

  EXPECT_EQ(retried["cost"]["runs"], 1);
  EXPECT_EQ(retried["all_ok"], true);
}

}  // namespace
}  // namespace runahead
