#include "core/base/result_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead {
namespace {

namespace fs = std::filesystem;

class NewResultFolder : public ::testing::Test {
 protected:
  NewResultFolder() { fs::current_path(folder_.path()); }
  ~NewResultFolder() override { fs::current_path(before_); }

 private:
  const fs::path before_ = fs::current_path();
  const test::TemporaryFolder folder_{};
};

TEST_F(NewResultFolder, HasTheTimeAndTheName) {
  const std::string path = new_result_folder("train-acpu").string();

  EXPECT_TRUE(path.starts_with("runs/20")) << path;
  EXPECT_TRUE(path.ends_with("-train-acpu")) << path;
}

TEST_F(NewResultFolder, IsNotThereHoweverManyAreMadeInASecond) {
  for (int i = 0; i < 5; ++i) {
    const fs::path folder = new_result_folder("sweep");
    EXPECT_TRUE(fs::create_directories(folder)) << folder;
  }
}

TEST(ResultFolder, IsForOneCommandAtATime) {
  const test::TemporaryFolder parent;
  const fs::path path = parent.path() / "run";
  {
    const ResultFolder first(path);
    EXPECT_EQ(test::error_message<ConfigError>([&] { const ResultFolder second(path); }),
              "another command is writing its results to '" + path.string() +
                  "'; wait for it, or give another folder");
  }
  EXPECT_NO_THROW(ResultFolder{path});
}

TEST(ResultFolder, IsNotKeptByAChildThatTheProcessForked) {
  const test::TemporaryFolder folder;
  pid_t child = 0;
  {
    const ResultFolder first(folder.path());
    child = ::fork();
    for (; child == 0;) ::pause();
  }
  EXPECT_NO_THROW(ResultFolder{folder.path()});
  EXPECT_TRUE(fs::exists(folder.path()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(ResultFolder, HoldsNoResultsOfAnyCommandYet) {
  for (const std::string file : {"record.json", "records.jsonl", "sweep.json", "tune.json",
                                 "reproduce.json", "samples.csv"}) {
    const test::TemporaryFolder folder;
    test::write_text(folder.path() / file, "x");
    EXPECT_EQ(
        test::error_message<ConfigError>(
            [&] { const ResultFolder again(folder.path(), {"samples.csv"}); }),
        "'" + folder.path().string() + "' holds a " + file + "; give a folder without results");
    EXPECT_NO_THROW(require_no_results(folder.path(), {file}));
  }
}

TEST(ResultFolder, IsGoneAgainWithItsParentsIfNothingWasWritten) {
  const test::TemporaryFolder parent;
  { const ResultFolder folder(parent.path() / "runs" / "new"); }
  EXPECT_FALSE(fs::exists(parent.path() / "runs"));

  fs::create_directory(parent.path() / "runs");
  {
    const ResultFolder folder(parent.path() / "runs" / "new");
    test::write_text(folder.path() / "file", "x");
  }
  EXPECT_TRUE(fs::exists(parent.path() / "runs" / "new" / "file"));
}

}  // namespace
}  // namespace runahead
