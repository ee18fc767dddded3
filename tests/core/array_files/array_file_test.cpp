#include "core/array_files/array_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/array_files/file_contents.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::array_files::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Of a header of 128 bytes, so that every type is aligned.
std::string aligned_npy(std::string_view descr, std::string_view elements, bool fortran_order) {
  std::string text = dictionary(descr, "(2, 3)", fortran_order);
  text.resize(117, ' ');
  return npy(text, elements);
}

class ArrayFile : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& content) {
    return runahead::test::write_text(folder_.path() / name, content);
  }

  /// Whether the elements of the file are mapped: a change of the file in place is seen then.
  bool is_mapped(const std::string& content) {
    const std::filesystem::path path = write("mapped", content);
    const Array array = read_array(path, "");
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end).put(77).flush();
    return array.data.get()[array.bytes() - 1] == std::byte{77};
  }

  std::string refusal_of_path(const std::filesystem::path& path) {
    return error_message<ConfigError>([&] { static_cast<void>(read_array(path, "")); });
  }

  runahead::test::TemporaryFolder folder_{};
};

TEST_F(ArrayFile, IsMappedWhereItsElementsLieAsInMemory) {
  const std::string elements(24, 'a');
  EXPECT_TRUE(is_mapped(aligned_npy("<f4", elements, false)));
  EXPECT_TRUE(is_mapped(idx(0x08, {5}, "abcde")));
  EXPECT_FALSE(is_mapped(aligned_npy(">f4", elements, false)));
  EXPECT_FALSE(is_mapped(aligned_npy("<f4", elements, true)));
  EXPECT_FALSE(is_mapped(npy(dictionary("<f4", "(2, 3)"), elements)));  // Not aligned.
}

TEST_F(ArrayFile, OutlivesTheRemovedFile) {
  const std::filesystem::path path = write("labels", idx(0x08, {3}, "abc"));
  const Array array = read_array(path, "");
  std::filesystem::remove(path);
  EXPECT_THAT(elements_of<char>(array), ElementsAre('a', 'b', 'c'));
}

TEST_F(ArrayFile, IsAlignedToItsElements) {
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string text = dictionary("<f8", "(1,)") + std::string(shift, ' ');
    const Array array = read_array(write("shifted", npy(text, std::string(8, 'a'))), "");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data.get()) % 8, 0U) << shift;
  }
}

TEST_F(ArrayFile, RefusesWhatIsNoFileOfArrays) {
  EXPECT_THAT(refusal_of_path(folder_.path() / "absent"), HasSubstr("absent: no such file"));
  EXPECT_THAT(refusal_of_path(folder_.path()), HasSubstr("' is a folder; give a file"));
  EXPECT_THAT(refusal_of_path(write("none", "")), HasSubstr("none' is empty"));
  const std::filesystem::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal_of_path(pipe), HasSubstr("pipe' is a pipe or a device"));
  EXPECT_THAT(refusal_of_path("/dev/zero"), HasSubstr("'/dev/zero' is a pipe or a device"));
  EXPECT_THAT(refusal_of_path(write("text.npy", "1 2 3\n")),
              HasSubstr("text.npy: byte 0: found 31 20 32 20 33 0A; allowed: the first bytes of "));
}

TEST_F(ArrayFile, HasNoNameWhereItsFormatHasNone) {
  for (const std::string& content : {idx(0x08, {1}, "a"), npy(dictionary("|u1", "(1,)"), "a")}) {
    EXPECT_EQ(refusal(content, "images"),
              "file: found the name \"images\"; allowed: none, the file holds one array, without a "
              "name");
  }
}

}  // namespace
}  // namespace runahead::array_files::test
