// `runahead run` with a config of the kind `frameworks`: a script in place of those that run them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "core/record/record_file.h"
#include "program_fixture.h"
#include "support/fifo.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kJax = R"({"peer": "jax", "status": "ok", "programs": {"dispatch": {"cases": {
    "default": {"figures": {"dispatch_seconds": {"median": 0.0125, "min": 0.01, "max": 0.02},
                            "block_seconds": null}}}}}})";
const std::string kAbsent =
    R"({"peer": "mxnet", "status": "absent", "reason": "it is not set up", "programs": null})";
const std::string kFailed =
    R"({"peer": "paddle", "status": "failed", "reason": "train none: no memory", "programs": 5})";

class FrameworksProgram : public test::ProgramTest {
 protected:
  FrameworksProgram() {
    file("jax.json", kJax);
    file("mxnet.json", kAbsent);
    file("paddle.json", kFailed);
    environment_["RUNAHEAD_HOME"] = (folder() / "home").string();
    environment_["DOCUMENTS"] = folder().string();
    peers_are("cp $DOCUMENTS/jax.json $DOCUMENTS/mxnet.json $2");
    config_ =
        file("frameworks.json", R"({"experiment": "frameworks", "device": "cpu", "runs": 7})");
  }

  /// What the script does; it was given `--out FOLDER` and more.
  void peers_are(const std::string& commands) {
    const std::string script = file("home/scripts/peers/all", "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  }

  ProgramEnd run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", config_, "--out", out()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runahead(arguments);
  }

  [[nodiscard]] record::Record found() const {
    return record::read_record(folder() / "out" / "record.json");
  }

  std::string config_{};
};

TEST_F(FrameworksProgram, RecordsWhatEachFrameworkMeasured) {
  const ProgramEnd end = run();

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(found().status, record::Status::kOk);
  EXPECT_EQ(found().results["frameworks"]["peers"],
            (Json{{"jax", Json::parse(kJax)}, {"mxnet", Json::parse(kAbsent)}}));
  EXPECT_THAT(end.out, AllOf(HasSubstr("dispatch, default, dispatch_seconds  0.0125"),
                             HasSubstr("mxnet has no figures: it is not set up")));
  EXPECT_THAT(end.out, Not(HasSubstr("block_seconds")));
}

TEST_F(FrameworksProgram, RunsThemAsOftenAndAsSmallAsTheConfigSays) {
  peers_are("echo \"$3 $4 $5\" > $DOCUMENTS/arguments");

  EXPECT_EQ(run({"--set", "/small_sizes=true", "--json"}).exit_code, 0);

  EXPECT_EQ(test::read_text(folder() / "arguments"), "--runs 7 --quick\n");
}

TEST_F(FrameworksProgram, KeepsWhatWasMeasuredAndSaysWhatFailed) {
  peers_are("cp $DOCUMENTS/jax.json $DOCUMENTS/paddle.json $2; echo 'peers: torch' >&2; exit 1");
  const ProgramEnd end = run();

  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.err, HasSubstr("paddle: train none: no memory"));
  EXPECT_EQ(found().status, record::Status::kFailed);
  EXPECT_TRUE(found().results["frameworks"]["peers"].contains("jax"));
}

TEST_F(FrameworksProgram, TakesADamagedDocumentForAFrameworkThatFailed) {
  peers_are("cp $DOCUMENTS/jax.json $2; echo '{' > $2/numpy.json; exit 1");

  EXPECT_EQ(run().exit_code, 1);
  EXPECT_EQ(found().results["frameworks"]["peers"]["numpy"]["status"], "failed");
  EXPECT_TRUE(found().results["frameworks"]["peers"].contains("jax"));
}

TEST_F(FrameworksProgram, KeepsWhatIsWrittenWhenItIsInterrupted) {
  test::Fifo fifo(folder() / "fifo");
  peers_are(
      "trap 'cp $DOCUMENTS/jax.json '$2'; exit 130' TERM; echo begun > $DOCUMENTS/fifo; "
      "sleep 100 & wait");
  test::Program program(folder(), RUNAHEAD, {"run", config_, "--out", out()}, environment_);
  static_cast<void>(fifo.read_line());
  program.send(SIGINT);

  EXPECT_EQ(program.wait().exit_code, 130);
  EXPECT_EQ(found().status, record::Status::kInterrupted);
  EXPECT_TRUE(found().results["frameworks"]["peers"].contains("jax"));
}

TEST_F(FrameworksProgram, IsUnavailableWithoutTheScripts) {
  environment_["RUNAHEAD_HOME"] = (folder() / "nowhere").string();

  EXPECT_EQ(run().exit_code, 3);
}

TEST_F(FrameworksProgram, RefusesAFolderWithDocumentsOfAnotherRun) {
  file("out/peers/jax.json", kJax);

  EXPECT_EQ(run().exit_code, 2);
}

TEST_F(FrameworksProgram, IsNoCellOfASweep) {
  const std::string sweep =
      file("sweep.json",
           R"({"base": {"experiment": "frameworks", "device": "cpu"}, "axes": {"/runs": [1]}})");
  const ProgramEnd end = runahead({"sweep", sweep, "--out", out()});

  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, AllOf(HasSubstr("/experiment"), HasSubstr("frameworks")));
}

TEST_F(FrameworksProgram, RefusesWhatOtherFrameworksDoNotHave) {
  EXPECT_THAT(run({"--set", "/device=acpu"}).err,
              AllOf(HasSubstr("/device: found \"acpu\""), HasSubstr("\"cpu\"")));
  const ProgramEnd traced = run({"--trace"});
  EXPECT_EQ(traced.exit_code, 2);
  EXPECT_THAT(traced.err, HasSubstr("--trace"));
  EXPECT_FALSE(std::filesystem::exists(out()));
}

}  // namespace
}  // namespace runahead
