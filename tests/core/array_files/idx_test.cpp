#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/array_files/file_contents.h"

namespace runahead::array_files::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Idx, ReadsEachType) {
  struct Row {
    int code;
    ElementType type;
    int bytes;
  };
  const std::vector<Row> rows{{0x08, ElementType::kUint8, 1},   {0x09, ElementType::kInt8, 1},
                              {0x0B, ElementType::kInt16, 2},   {0x0C, ElementType::kInt32, 4},
                              {0x0D, ElementType::kFloat32, 4}, {0x0E, ElementType::kFloat64, 8}};
  for (const Row& row : rows) {
    const Array array = read_content(idx(row.code, {1}, big(1, row.bytes)));
    EXPECT_EQ(array.type, row.type);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(array.data.get()), array.bytes()),
              little(1, row.bytes))
        << row.code;
  }
}

TEST(Idx, ReadsImagesAndLabels) {
  const Array images = read_content(idx(0x08, {2, 1, 3}, raw({1, 2, 3, 4, 5, 255})));
  EXPECT_THAT(images.shape, ElementsAre(2, 1, 3));
  EXPECT_THAT(elements_of<std::uint8_t>(images), ElementsAre(1, 2, 3, 4, 5, 255));
  EXPECT_THAT(elements_of<std::int32_t>(read_content(idx(0x0C, {2}, big(7, 4) + big(258, 4)))),
              ElementsAre(7, 258));
}

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
