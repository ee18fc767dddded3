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

}  // namespace
}  // namespace runahead
