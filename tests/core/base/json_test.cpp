#include "core/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "support/error_message.h"

namespace runahead {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text, const JsonBounds& bounds = {}) {
  return test::error_message<ConfigError>(
      [&] { static_cast<void>(parse_json(text, "test.json", bounds)); });
}

TEST(ParseJson, RefusesAZeroByteAndWhatFollowsIt) {
  using namespace std::string_literals;
  EXPECT_THAT(error_of("{\"a\": 1}\n\0 and more"s),
              HasSubstr("test.json, line 2, column 1: not valid JSON: found a zero byte"));
  EXPECT_THAT(error_of("\0"s), HasSubstr("test.json, line 1, column 1"));
}

TEST(ParseJson, SaysInWordsWhatIsNotJson) {
  struct Row {
    std::string text;
    std::string reason;
  };
  const std::vector<Row> rows{
      {"", "there is no text"},
      {"{\"a\": ", "the text ends early"},
      {"{\"a\": \"b", "the text ends within a string"},
      {"{\"a\": 1,}", "a comma before '}'; remove it"},
      {"[1, 2,\n]", "a comma before ']'; remove it"},
      {"{a: 1}", "the key a has no double quotes"},
      {"{'a': 1}", "a single quote; keys and strings take double quotes"},
      {"{\"a\": 1 /* one */}", "a comment, which JSON does not have"},
      {"{\"a\": NaN}", "found NaN; allowed: a number"},
      {"[1 2]", "a comma is missing before it"},
      {"{\"a\": ]", "found ']', which does not belong here"},
      {"{1: 2}", "the key 1 has no double quotes"},
      {"{[1]: 2}", "found '['; allowed: a key in double quotes"},
      {"{\"a\": True}", "found True; allowed"},
      {"{\"a\": 01}", "found 01; allowed"},
      {"{\"a\": 1 \"b\": 2}", "a comma or a colon is missing before it"},
      {"{\"a\" 1}", "a comma or a colon is missing before it"},
      {"{\"a\": \"b\nc\"}", "a string does not end on its line"},
      {"{\"a\": \"b\x1b[0m\"}", "a control character in a string; write \\u001b"},
      {"{\"a\": \"b\tc\"}", "a control character in a string; write \\u0009"},
      {"{\"a\": \"\\d\"}", "no such escape"},
      {"{\"a\": \"\xff\"}", "a byte that is not UTF-8"},
      {"{\"a\": \"tr\xe9in\"}", "a byte that is not UTF-8"},
      {"{\"a\": \"\xe2\x82 \"}", "a byte that is not UTF-8"},
      {"{\"a\": 1e999}", "a number that is too large"},
      {"{} {}", "there is text after the end of the document"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(error_of(row.text), HasSubstr(": not valid JSON: " + row.reason)) << row.text;
  }
}

TEST(ParseJson, MarksThePlaceInItsLine) {
  EXPECT_THAT(error_of("{\n\t\"é\": 7,}\n"), ::testing::EndsWith("\n   \"é\": 7,}\n          ^"));
  const std::string shown = error_of("[" + std::string(500, ' ') + "x" + std::string(500, ' '));
  EXPECT_THAT(shown,
              ::testing::EndsWith("\n  " + std::string(60, ' ') + "x" + std::string(19, ' ') +
                                  "\n  " + std::string(60, ' ') + "^"));
}

TEST(ParseJson, BoundsDepthAndSize) {
  EXPECT_THAT(error_of(std::string(65, '[')), HasSubstr("nested more than 64 levels deep"));
  EXPECT_THAT(error_of(std::string(1'000'000, '[')), HasSubstr("nested more than 64 levels deep"));
  EXPECT_NO_THROW(
      static_cast<void>(parse_json(std::string(64, '[') + std::string(64, ']'), "test.json")));
  EXPECT_THAT(error_of("[1, 2, 3]", {.bytes = 8}),
              HasSubstr("test.json: the text is 9 bytes long; allowed: at most 8"));
}

TEST(DumpJson, IsAlwaysValidText) {
  EXPECT_EQ(dump_json(Json::array({std::numeric_limits<double>::infinity(), "\xff"})),
            "[null,\"\xef\xbf\xbd\"]");
  EXPECT_EQ(dump_json({{"a", 1}}, 1), "{\n \"a\": 1\n}");
}

}  // namespace
}  // namespace runahead
