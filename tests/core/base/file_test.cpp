#include "core/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ReadFile, GivesAllOfABoundedFile) {
  const test::TemporaryFolder folder;
  const std::string content = std::string("a\0b\n", 4) + std::string(100'000, 'x');
  const auto path = test::write_text(folder.path() / "file", content);

  EXPECT_EQ(read_file(path, content.size()), content);
  EXPECT_THAT(test::error_message<ConfigError>(
                  [&] { static_cast<void>(read_file(path, content.size() - 1)); }),
              HasSubstr("allowed: at most that"));
}

TEST(WriteFileAtomically, ReplacesTheWholeFile) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "new" / "file";

  write_file_atomically(path, "a long content");
  write_file_atomically(path, "short");

  EXPECT_EQ(read_file(path, 100), "short");
}

TEST(WriteFileAtomically, LeavesNothingWhenItCannot) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "taken" / "inside");

  EXPECT_THAT(test::error_message<Error>(
                  [&] { write_file_atomically(folder.path() / "taken", "content"); }),
              HasSubstr((folder.path() / "taken").string() + ": cannot write it"));

  const auto entries = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(ReplaceFile, LeavesOneFileWithTheNewContent) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "file";

  replace_file(path, "a longer content");
  replace_file(path, "content");

  EXPECT_EQ(read_file(path, 100), "content");
  EXPECT_FALSE(std::filesystem::exists(replacement_of(path)));
}

TEST(ReplaceFile, SaysWhatItCannotWrite) {
  EXPECT_THAT(test::error_message<Error>([] { replace_file("/proc/absent/file", "content"); }),
              HasSubstr("/proc/absent/file.new: cannot open it"));
}

TEST(WriteFile, ReplacesTheWholeFile) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "file";

  write_file(path, "a long content");
  write_file(path, "short");

  EXPECT_EQ(read_file(path, 100), "short");
}

TEST(WriteFile, TellsWhatItCannotWriteAndWhy) {
  const test::TemporaryFolder folder;

  EXPECT_THAT(test::error_message<Error>([&] { write_file(folder.path() / "no" / "file", "x"); }),
              AllOf(HasSubstr((folder.path() / "no/file").string()), HasSubstr("No such file")));
}

TEST(AppendLine, ClosesALineThatWasCutShort) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "lines";

  append_line(path, "one");
  append_line(path, "two");
  EXPECT_EQ(read_file(path, 100), "one\ntwo\n");

  test::write_text(path, "one\ntw");
  append_line(path, "three");
  EXPECT_EQ(read_file(path, 100), "one\ntw\nthree\n");
}

TEST(AppendLine, SaysWhatItCannotWrite) {
  EXPECT_THAT(test::error_message<Error>([] { append_line("/proc/absent/file", "line"); }),
              HasSubstr("/proc/absent: cannot make this folder"));
  EXPECT_THAT(test::error_message<Error>([] { append_line("/dev/full", "line"); }),
              HasSubstr("/dev/full: cannot write it: No space left"));
}

}  // namespace
}  // namespace runahead
