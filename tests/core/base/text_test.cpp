#include <fcntl.h>
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/json_number.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "support/error_message.h"

namespace runahead {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

// Names of too few or too many values do not compile.
enum class Fruit { kApple, kPear };
static_assert(kHasValues<Fruit, 2> && !kHasValues<Fruit, 1> && !kHasValues<Fruit, 3>);

TEST(JsonNumber, IsAnIntegerHoweverItIsWrittenIfTheTypeHoldsIt) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  struct Row {
    Json json;
    std::optional<std::int64_t> integer;
    std::optional<std::uint64_t> whole;
  };
  const std::vector<Row> rows{{3, 3, 3},
                              {3.0, 3, 3},
                              {1e3, 1000, 1000},
                              {-1, -1, {}},
                              {kLeast, kLeast, {}},
                              {kMost, {}, kMost},
                              {0x1p64, {}, {}},
                              {3.5, {}, {}},
                              {1e300, {}, {}},
                              {true, {}, {}},
                              {"3", {}, {}},
                              {nullptr, {}, {}},
                              {Json::array({3}), {}, {}}};
  for (const Row& row : rows) {
    EXPECT_EQ(integer_as<std::int64_t>(row.json), row.integer) << row.json;
    EXPECT_EQ(integer_as<std::uint64_t>(row.json), row.whole) << row.json;
  }
  EXPECT_EQ(integer_as<int>(std::int64_t{1} << 32), std::nullopt);
  EXPECT_EQ(integer_as<int>(-5), -5);
  EXPECT_EQ(integer_as<std::uint32_t>(kMost), std::nullopt);
}

/// A pseudo-terminal, and a pipe, which is none.
class TerminalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::setenv("TERM", "xterm", 1), 0);
    ::unsetenv("NO_COLOR");
    if (controller_ < 0) GTEST_SKIP() << "no pseudo-terminal on this machine";
    ASSERT_EQ(::grantpt(controller_), 0);
    ASSERT_EQ(::unlockpt(controller_), 0);
    terminal_ = ::open(::ptsname(controller_), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal_, 0);
    ASSERT_EQ(::pipe(pipe_), 0);
  }
  void TearDown() override {
    for (const int descriptor : {terminal_, controller_, pipe_[0], pipe_[1]}) ::close(descriptor);
  }
  void resize(unsigned short columns) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &size), 0);
  }

  int controller_ = ::posix_openpt(O_RDWR | O_NOCTTY);
  int terminal_ = -1;
  int pipe_[2] = {-1, -1};
};

TEST_F(TerminalTest, HasItsPresentColumnsOrTheUsualOnes) {
  resize(37);
  EXPECT_EQ(terminal_columns(terminal_), 37);
  resize(120);
  EXPECT_EQ(terminal_columns(terminal_), 120);
  resize(0);
  EXPECT_EQ(terminal_columns(terminal_), 80);
  EXPECT_EQ(terminal_columns(pipe_[1]), std::nullopt);
  ASSERT_EQ(::setenv("TERM", "dumb", 1), 0);
  EXPECT_EQ(terminal_columns(terminal_), std::nullopt);
}

}  // namespace
}  // namespace runahead
