#include "core/array_files/array_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

#include "core/base/scratch_folder.h"
#include "support/text_file.h"

namespace runahead::array_files {
namespace {

/// A .npy file of 2 times 3 elements, with a header that is short enough for one byte of length.
std::string npy(std::string_view descr, std::string_view elements, bool fortran_order = false,
                std::size_t dictionary_bytes = 117) {
  std::string text = "{'descr': '" + std::string(descr) +
                     "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                     ", 'shape': (2, 3), }";
  text.resize(dictionary_bytes, ' ');
  const auto size = static_cast<char>(text.size() + 1);
  return "\x93NUMPY" + std::string{1, 0, size, 0} + text + "\n" + std::string(elements);
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

  ScratchFolder folder_{};
};

TEST_F(ArrayFile, IsMappedWhereItsElementsLieAsInMemory) {
  const std::string elements(24, 'a');
  EXPECT_TRUE(is_mapped(npy("<f4", elements)));
  EXPECT_TRUE(is_mapped(std::string{0, 0, 8, 1, 0, 0, 0, 2, 7, 7}));
  EXPECT_FALSE(is_mapped(npy(">f4", elements)));
  EXPECT_FALSE(is_mapped(npy("<f4", elements, true)));
  EXPECT_FALSE(is_mapped(npy("<f4", elements, false, 116)));  // Not aligned.
}

TEST_F(ArrayFile, IsAlignedToItsElements) {
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string content = npy("<f8", std::string(48, 'a'), false, 117 - shift);
    const Array array = read_array(write("shifted", content), "");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data.get()) % 8, 0U) << shift;
  }
}

}  // namespace
}  // namespace runahead::array_files
