#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "support/error_message.h"

namespace runahead {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Shortened, CutsBetweenCharactersAndMarksTheCut) {
  struct Row {
    std::string_view text;
    std::size_t bytes;
    std::string_view shortened;
  };
  for (const auto& [text, bytes, expected] :
       {Row{"", 0, ""}, Row{"four", 4, "four"}, Row{"longer", 4, "long…"}, Row{"aµb", 2, "a…"},
        Row{"aµb", 3, "aµ…"}, Row{"\x80\x80\x80", 2, "…"}}) {
    EXPECT_EQ(shortened(text, bytes), expected);
  }
}

TEST(DumpJson, IsAlwaysValidText) {
  EXPECT_EQ(dump_json(Json::array({std::numeric_limits<double>::infinity(), "\xff"})),
            "[null,\"\xef\xbf\xbd\"]");
  EXPECT_EQ(dump_json({{"a", 1}}, 1), "{\n \"a\": 1\n}");
}

TEST(Require, NamesTheConditionTheMessageAndThePlaceAndEvaluatesTheMessageOnlyThen) {
  const int workers = -1;
  int evaluations = 0;
  const auto message = [&] { return "got " + std::to_string(++evaluations - 2); };
  RUNAHEAD_REQUIRE(workers < 0, message());
  EXPECT_EQ(evaluations, 0);
  EXPECT_THAT(test::error_message<UsageError>([&] { RUNAHEAD_REQUIRE(workers >= 0, message()); }),
              AllOf(HasSubstr("workers >= 0"), HasSubstr("got -1"), HasSubstr("text_test.cpp")));
}

TEST(Characters, AreCutWhereTheyDoNotFit) {
  EXPECT_EQ(in_one_line("größe", 5), "größe");
  EXPECT_EQ(in_one_line("größe", 4), "grö…");
  EXPECT_EQ(in_one_line("größe", 1), "…");
  EXPECT_EQ(in_one_line("größe", 0), "");
}

TEST(Characters, ThatControlATerminalAreNotPassedOn) {
  EXPECT_EQ(in_one_line("a\nb\033[Jc\x7f", 80), "a?b?[Jc?");
}

}  // namespace
}  // namespace runahead
