#include <gmock/gmock.h>

#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/result_folder.h"
#include "core/base/scratch_folder.h"
#include "support/error_message.h"
#include "support/text_file.h"

namespace runahead {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(EveryWayToWriteAFile, ReplacesAllOfIt) {
  const ScratchFolder folder;
  const auto path = folder.path() / "new" / "file";  // The first makes the folder.
  for (const auto write : {&write_file_atomically, &replace_file, &write_file}) {
    write(path, "a long content");
    write(path, "short");
    EXPECT_EQ(read_file(path, 100), "short");
    EXPECT_FALSE(std::filesystem::exists(replacement_of(path)));
  }
}

TEST(EveryWayToWriteAFile, NamesWhatItCannotWriteAndWhy) {
  const auto error_of = [](const auto& write, const std::filesystem::path& path) {
    return test::error_message<Error>([&] { write(path, "content"); });
  };
  EXPECT_THAT(error_of(replace_file, "/proc/absent/file"),
              HasSubstr("cannot open /proc/absent/file.new: "));
  EXPECT_THAT(error_of(write_file, "/proc/absent/file"),
              AllOf(HasSubstr("/proc/absent/file"), HasSubstr("No such file")));
  EXPECT_THAT(error_of(append_line, "/proc/absent/file"),
              HasSubstr("cannot create the folder '/proc/absent': "));
  EXPECT_THAT(error_of(append_line, "/dev/full"),
              HasSubstr("cannot write /dev/full: No space left"));
}

TEST(WriteNewFile, ReplacesNothing) {
  const ScratchFolder folder;
  const auto path = folder.path() / "new" / "file";
  write_new_file(path, "first");

  EXPECT_EQ(test::error_message<Error>([&] { write_new_file(path, "second"); }),
            "cannot write " + path.string() + ": File exists, and is not overwritten");
  EXPECT_EQ(read_file(path, 100), "first");
  const auto entries = std::filesystem::directory_iterator(path.parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);  // No temporary file is left.
}

TEST(AppendLine, ClosesALineThatWasCutShort) {
  const ScratchFolder folder;
  const auto path = folder.path() / "lines";

  append_line(path, "one");
  append_line(path, "two");
  EXPECT_EQ(read_file(path, 100), "one\ntwo\n");

  test::write_text(path, "one\ntw");
  append_line(path, "three");
  EXPECT_EQ(read_file(path, 100), "one\ntw\nthree\n");
}

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
