#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/array_files/compressed_contents.h"

namespace runahead::array_files::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A gzip file in several members of so many bytes each.
std::string in_members(const std::string& content, std::size_t bytes) {
  std::string members;
  for (std::size_t at = 0; at < content.size(); at += bytes) {
    members += gzipped(std::string_view(content).substr(at, bytes));
  }
  return members;
}

TEST(Gzip, MayBeLargeAndHaveSeveralMembers) {
  std::string elements;
  for (int number = 0; number < 300'000; ++number) elements += static_cast<char>(number % 251);
  const std::string content = idx(0x08, {1000, 300}, elements);
  for (const std::string& file : {gzipped(content), in_members(content, 100'000)}) {
    const Array array = read_content(file);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(array.data.get()), array.bytes()),
              elements);
  }
}

TEST(Gzip, SaysWhatIsWrongInTheFile) {
  const std::string good = gzipped(idx(0x08, {4}, "abcd"));
  const std::string end = std::to_string(good.size());
  EXPECT_THAT(refusal(good.substr(0, good.size() - 1)),
              HasSubstr("file: byte " + std::to_string(good.size() - 1) +
                        ": found the end within compressed data; allowed: compressed data that is "
                        "whole; get the file again"));
  EXPECT_THAT(refusal(good + "more"),
              HasSubstr("byte " + end + ": found 6D 6F 72 65 behind the compressed data"));
  EXPECT_THAT(refusal(good + "\x1F"), HasSubstr("found the end within compressed data"));
  std::string other = good;
  other[good.size() - 8] ^= 1;
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("damaged compressed data (incorrect data check)")));
}

TEST(Gzip, SaysWhatIsWrongInWhatItInflatesTo) {
  struct Row {
    std::string content;
    std::string message;
  };
  const std::vector<Row> rows{
      {npy(dictionary("|u1", "(1,)"), "a"), "byte 0: found 93 4E 55 4D; allowed: IDX"},
      {"", "byte 0: found the end; allowed: IDX"},
      {idx(0x08, {}, ""), "byte 3: found 0 dimensions; allowed: 1 to 32"},
      {idx(0x08, {3}, "ab"), "byte 8: found 2 bytes of elements; allowed: 3 bytes"},
      {idx(0x08, {3}, "abcd"), "byte 8: found more than 3 bytes of elements; allowed: 3 bytes"},
      {idx(0x08, {300}, std::string(301, 'a')), "byte 8: found more than 300 bytes of elements"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(refusal(gzipped(row.content)), HasSubstr("file: inflated: " + row.message));
  }
}

TEST(Gzip, TakesNoMemoryForMoreThanItCanInflateTo) {
  const std::string bomb = gzipped(idx(0x08, {1'000'000, 1'000'000}, "a"));
  EXPECT_THAT(refusal(bomb),
              HasSubstr("byte 12: found 1,000,000,000,000 bytes of elements, as the header says; "
                        "allowed: at most"));
}

}  // namespace
}  // namespace runahead::array_files::test
