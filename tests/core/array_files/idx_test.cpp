#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/array_files/file_contents.h"

namespace runahead::array_files::test {
namespace {

using ::testing::HasSubstr;

TEST(Idx, SaysWhereItIsWrong) {
  struct Row {
    std::string content;
    std::string message;
  };
  const std::vector<Row> rows{
      {raw({0, 0, 8}), "file: byte 0: found 00 00 08; allowed: IDX"},
      {raw({0, 0, 7, 1}), "file: byte 2: found the type 07; allowed: 08 (uint8), 09 (int8)"},
      {idx(0x08, {}, ""), "file: byte 3: found 0 dimensions; allowed: 1 to 32"},
      {raw({0, 0, 8, 33}) + std::string(132, '\0'),
       "byte 3: found 33 dimensions; allowed: 1 to 32"},
      {idx(0x08, {1, 2}, "").substr(0, 9),
       "byte 9: found the end; allowed: sizes of 2 dimensions up to byte 11"},
      {idx(0x08, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, ""),
       "byte 4: found the shape (4294967295, 4294967295, 4294967295) of elements of 1 byte"},
      {idx(0x08, {3}, "ab"), "byte 8: found 2 bytes of elements; allowed: 3 bytes"},
      {idx(0x08, {3}, "abcd"), "byte 8: found 4 bytes of elements; allowed: 3 bytes"},
  };
  for (const Row& row : rows) EXPECT_THAT(refusal(row.content), HasSubstr(row.message));
}

}  // namespace
}  // namespace runahead::array_files::test
