// Reading an object strictly. What config keys make of it is tested in tests/core/config.

#include "core/base/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "support/error_message.h"

namespace runahead {
namespace {

using ::testing::HasSubstr;

// Names of too few or too many values do not compile.
enum class Fruit { kApple, kPear };
static_assert(kHasValues<Fruit, 2> && !kHasValues<Fruit, 1> && !kHasValues<Fruit, 3>);

/// Reads one value under the key "key" and gives what was read and what is wrong with it.
class ReadOne {
 public:
  explicit ReadOne(const std::string& value)
      : document_(parse_json("{\"key\": " + value + "}", "test")) {}

  ObjectReader& reader() { return reader_; }
  std::string problem() const {
    return problems_.empty() ? ""
                             : test::error_message<ConfigError>([&] { problems_.throw_if_any(); });
  }

 private:
  Json document_;
  JsonProblems problems_{"test"};
  ObjectReader reader_{document_, "/at", problems_};
};

std::optional<std::int64_t> integer(const std::string& value) {
  return ReadOne(value).reader().integer("key", {INT64_MIN, INT64_MAX});
}

std::optional<std::uint64_t> whole(const std::string& value) {
  return ReadOne(value).reader().read("key", UnsignedRange{0, UINT64_MAX});
}

TEST(ObjectReader, IntegersAreIntegral) {
  EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer("2e3"), 2000);
  EXPECT_EQ(integer("2.5"), std::nullopt);
  EXPECT_EQ(integer("1e300"), std::nullopt);
  EXPECT_EQ(integer("true"), std::nullopt);
  EXPECT_EQ(integer("\"2\""), std::nullopt);

  EXPECT_EQ(whole("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(whole("18446744073709551616"), std::nullopt);
  EXPECT_EQ(whole("-1"), std::nullopt);
  EXPECT_EQ(whole("3.0"), 3u);
}

TEST(ObjectReader, LongValuesAreCutBetweenCharacters) {
  std::string value(58, 'x');
  value += "éééé";
  ReadOne one("\"" + value + "\"");

  EXPECT_EQ(one.reader().read("key", Boolean{}), std::nullopt);

  EXPECT_EQ(one.problem(),
            "test: /at/key: found \"" + std::string(58, 'x') + "…; allowed: true or false");
}

TEST(JsonProblems, AreAllTold) {
  JsonProblems problems("test");
  EXPECT_NO_THROW(problems.throw_if_any());
  for (int index = 0; index < 25; ++index) {
    problems.add("/" + std::to_string(index), "wrong");
  }

  const std::string message = test::error_message<ConfigError>([&] { problems.throw_if_any(); });

  EXPECT_THAT(message, HasSubstr("test: /0: wrong\ntest: /1: wrong\n"));
  EXPECT_THAT(message, HasSubstr("test: /19: wrong\n… and 5 more"));
}

}  // namespace
}  // namespace runahead
