#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_pointer.h"
#include "core/base/text.h"
#include "support/error_message.h"

namespace runahead {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Keys = std::vector<std::string>;

TEST(NearestName, IsTheFirstOfTheNearest) {
  const std::vector<std::string> names{"features", "batches", "batch_size"};
  EXPECT_EQ(nearest_name("batch", names), &names[1]);
  EXPECT_EQ(nearest_name("nothing", names), nullptr);
  EXPECT_EQ(nearest_name("x", {}), nullptr);
}

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

TEST(JsonPointer, SplitsIntoKeysAndBack) {
  struct Row {
    std::string pointer;
    Keys keys;
  };
  for (const auto& [pointer, keys] : {Row{"", {}}, Row{"/data/features", {"data", "features"}},
                                      Row{"/", {""}}, Row{"/a~1b/~01", {"a/b", "~1"}}}) {
    EXPECT_EQ(split_pointer(pointer), keys);
    std::string joined;
    for (const std::string& key : keys) joined = child_pointer(joined, key);
    EXPECT_EQ(joined, pointer);
  }
}

TEST(JsonPointer, RejectsWhatIsMalformedOrDeeperThanADocument) {
  std::string deepest;
  for (int key = 0; key < 64; ++key) deepest += "/a";
  EXPECT_EQ(split_pointer(deepest).size(), 64U);
  for (const std::string& pointer :
       {std::string("data"), std::string("/a~"), std::string("/a~2"), deepest + "/"}) {
    EXPECT_THROW(static_cast<void>(split_pointer(pointer)), ConfigError) << pointer;
  }
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
