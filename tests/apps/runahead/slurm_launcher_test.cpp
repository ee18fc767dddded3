// `sweep --launcher slurm` as far as it goes without a Slurm; slurm_test.py has one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/json.h"
#include "program_fixture.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using ::testing::HasSubstr;
using ::testing::Not;

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
};

TEST_F(SlurmLauncher, PrintsTheScriptOfADryRun) {
  const ProgramEnd end = sweep(
      {"--out", out(), "--jobs", "4", "--dry-run", "--sbatch=--partition=gpu", "--sbatch=--nice"});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, HasSubstr("#SBATCH --array=0-19%4\n"));
  EXPECT_THAT(end.out, HasSubstr("#SBATCH --mem=255M\n"));
  EXPECT_THAT(end.out, HasSubstr("#SBATCH --time=1\n"));
  EXPECT_THAT(end.out, HasSubstr("#SBATCH --partition=gpu\n#SBATCH --nice\n"));
  EXPECT_THAT(end.out, HasSubstr("RUNAHEAD_CELL='" STUB_CELL "'\n"));
  EXPECT_THAT(end.out, HasSubstr("run-cell '" + out() + "/slurm/0001'"));
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(SlurmLauncher, PrintsTheScriptAsJson) {
  const Json document = Json::parse(sweep({"--out", out(), "--dry-run", "--json"}).out);

  EXPECT_THAT(document["script"].get<std::string>(), HasSubstr("--array=0-19\n"));
  EXPECT_EQ(document["runs"], 20);
}

TEST_F(SlurmLauncher, SaysThatThereIsNoSlurm) {
  environment_["PATH"] = folder().string();
  const ProgramEnd end = sweep({"--out", out()});

  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.err, HasSubstr("is not on this machine"));
}

TEST_F(SlurmLauncher, RefusesOptionsThatAreItsOwnBeforeAnythingIsWritten) {
  EXPECT_EQ(sweep({"--out", out(), "--sbatch=--array=0-3"}).exit_code, 2);
  EXPECT_EQ(sweep({"--out", out() + "\"quoted\""}).exit_code, 2);

  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(SlurmLauncher, HidesTheCommandThatOnlyScriptsCall) {
  EXPECT_THAT(runahead({"--help"}).out, Not(HasSubstr("run-cell")));
  const ProgramEnd end = runahead({"run-cell", out(), "0"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.err, HasSubstr("array.json"));
}

}  // namespace
}  // namespace runahead
