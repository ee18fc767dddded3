#include "core/base/result_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "support/error_message.h"
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
  const ScratchFolder folder_{};
};

TEST_F(NewResultFolder, IsNotThereHoweverManyAreMadeInASecond) {
  for (int i = 0; i < 5; ++i) {
    const fs::path folder = new_result_folder("sweep");
    EXPECT_TRUE(fs::create_directories(folder)) << folder;
  }
}

TEST_F(NewResultFolder, BelongsToOneOfManyCommandsThatStartAtTheSameTime) {
  std::vector<std::optional<ResultFolder>> folders(8);
  {
    std::vector<std::jthread> commands;
    commands.reserve(folders.size());
    for (std::optional<ResultFolder>& folder : folders) {
      commands.emplace_back([&folder] { folder.emplace("", "run"); });
    }
  }
  std::set<fs::path> paths;
  for (const auto& folder : folders) paths.insert(folder->path());
  EXPECT_EQ(paths.size(), folders.size());

  folders.clear();
  EXPECT_TRUE(!fs::exists("runs") || fs::is_empty("runs"));
}

TEST(ResultFolder, IsForOneCommandAtATime) {
  const ScratchFolder parent;
  const fs::path path = parent.path() / "run";
  {
    const ResultFolder first(path, "run");
    EXPECT_EQ(test::error_message<ConfigError>([&] { const ResultFolder second(path, "run"); }),
              "another command is writing its results to '" + path.string() +
                  "'; wait for it, or give another folder");
  }
  EXPECT_NO_THROW((ResultFolder{path, "run"}));
}

TEST(ResultFolder, IsGoneAgainWithItsParentsIfNothingWasWritten) {
  const ScratchFolder parent;
  for (const char* name : {"new", "new/"}) {
    { const ResultFolder folder(parent.path() / "runs" / name, "run"); }
    EXPECT_FALSE(fs::exists(parent.path() / "runs")) << name;
  }

  fs::create_directory(parent.path() / "runs");
  {
    const ResultFolder folder(parent.path() / "runs" / "new", "run");
    test::write_text(folder.path() / "file", "x");
  }
  EXPECT_TRUE(fs::exists(parent.path() / "runs" / "new" / "file"));
}

}  // namespace
}  // namespace runahead
