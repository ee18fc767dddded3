#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/array_files/file_contents.h"

namespace runahead::array_files::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string safetensors(const std::string& header, std::string_view data) {
  return little(header.size(), 8) + header + std::string(data);
}

std::string description(const std::string& dtype, const std::string& shape, int begin, int end) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":[)" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

TEST(Safetensors, ReadsATensorByName) {
  const std::string file = safetensors(R"({"__metadata__":{"format":"pt"},"images":)" +
                                           description("U8", "[2,2]", 2, 6) + R"(,"labels":)" +
                                           description("I16", "[]", 0, 2) + R"(,"other":)" +
                                           description("F8_E4M3", "[0]", 0, 0) + "}   ",
                                       raw({1, 2}) + "abcd");
  const Array images = read_content(file, "images");
  EXPECT_THAT(images.shape, ElementsAre(2, 2));
  EXPECT_THAT(elements_of<char>(images), ElementsAre('a', 'b', 'c', 'd'));
  const Array labels = read_content(file, "labels");
  EXPECT_THAT(labels.shape, IsEmpty());
  EXPECT_THAT(elements_of<std::int16_t>(labels), ElementsAre(0x0201));
  EXPECT_EQ(refusal(file, "label"),
            "file: found the name \"label\"; allowed: \"labels\", \"images\", \"other\"");
  EXPECT_THAT(refusal(file), HasSubstr("found no name of one of its 3 arrays"));
  EXPECT_THAT(refusal(file, "__metadata__"), HasSubstr("found the name \"__metadata__\""));
  EXPECT_THAT(refusal(file, "other"),
              HasSubstr("/other/dtype: found \"F8_E4M3\"; allowed: \"BOOL\", \"U8\""));
}

TEST(Safetensors, IsNotTakenForIdxWhereItsLengthBeginsAsThat) {
  std::string header = "{\"a\":" + description("U8", "[1]", 0, 1) + "}";
  header.resize(0x10000, ' ');  // Its bytes are 00 00 01 00 …
  EXPECT_THAT(elements_of<char>(read_content(safetensors(header, "x"))), ElementsAre('x'));
}

TEST(Safetensors, SaysWhatIsWrongInItsHeader) {
  struct Row {
    std::string header;
    std::string message;
  };
  const auto with = [](const std::string& tensor) { return "{\"a\":" + tensor + "}"; };
  const std::vector<Row> rows{
      {"{}", "header at byte 8: found no tensor; allowed: at least one"},
      {"{\"a\":}", "header at byte 8, line 1, column 6: not valid JSON"},
      {"{\"a\":1,\"a\":2}", "/a: the key is given more than once"},
      {with("[]"), "header at byte 8: /a: found an array; allowed: an object"},
      {with("{}"), "/a/dtype: is missing"},
      {with("{}"), "/a/data_offsets: is missing"},
      {with(description("U16", "[1]", 0, 2)),
       "/a/dtype: found \"U16\"; did you mean \"I16\"? allowed: \"BOOL\""},
      {with(description("U8", "[-1]", 0, 4)), "/a/shape/0: found -1; allowed: an integer from 0"},
      {with(description("U8", "[1.5]", 0, 4)), "/a/shape/0: found 1.5"},
      {with(description("U8", "4", 0, 4)), "/a/shape: found 4; allowed: an array of 0 to 32"},
      {with(description("U8", "[4294967296,4294967296,4294967296]", 0, 4)),
       "file: byte 8: found the shape (4294967296, 4294967296, 4294967296)"},
      {with(description("U8", "[5]", 0, 5)),
       "/a/data_offsets/1: found 5; allowed: an integer from 0 to 4"},
      {with(description("U8", "[4]", 0, 3)),
       "/a/data_offsets: found 0 to 3; allowed: 4 bytes, as shape and dtype say"},
      {with(description("U8", "[2]", 3, 1)), "/a/data_offsets: found 3 to 1; allowed: 2 bytes"},
      {with(R"({"dtype":"U8","shape":[4],"data_offsets":[0,4],"more":1})"), "/a/more"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(refusal(safetensors(row.header, "abcd")), HasSubstr(row.message)) << row.header;
  }
}

TEST(Safetensors, BoundsItsHeader) {
  EXPECT_THAT(refusal(little(100, 8) + "{}"),
              HasSubstr("file: byte 0: found a header of 100 bytes; allowed: at most 2, which the "
                        "file has"));
  EXPECT_THAT(refusal(little(4'000'000'000, 8) + "{}"), HasSubstr("a header of 4000000000 bytes"));
  EXPECT_THAT(refusal(little(std::uint64_t{1} << 32U, 8) + "{}"),
              HasSubstr("byte 2: found the type 00; allowed: 08 (uint8)"));
}

}  // namespace
}  // namespace runahead::array_files::test
