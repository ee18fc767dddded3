#include "core/config/axis_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"

namespace runahead::config {
namespace {

using ::testing::HasSubstr;

std::vector<Json> values_of(const std::string& text) {
  JsonProblems problems("sweep.json");
  const std::vector<Json> values =
      read_axis_values(parse_json(text, "sweep.json"), "/axes/~1seed", problems);
  problems.throw_if_any();
  return values;
}

std::string error_of_values(const std::string& text) {
  return test::error_message<ConfigError>([&] { static_cast<void>(values_of(text)); });
}

/// The values as the resolved sweep config has them.
std::string text_of(const std::string& text) { return dump_json(values_of(text)); }

TEST(AxisValues, AreTheListAsItIs) {
  EXPECT_EQ(text_of(R"(["none", 3, {"operations": 4}])"), R"(["none",3,{"operations":4}])");
}

TEST(AxisValues, OfARangeIncludeItsEndIfAStepEndsThere) {
  EXPECT_EQ(text_of(R"({"range": {"from": 10, "to": 13}})"), "[10,11,12,13]");
  EXPECT_EQ(text_of(R"({"range": {"from": 0, "to": 10, "step": 4}})"), "[0,4,8]");
  EXPECT_EQ(text_of(R"({"range": {"from": 0, "to": 0.3, "step": 0.1}})"), "[0,0.1,0.2,0.3]");
  EXPECT_EQ(text_of(R"({"range": {"from": 3, "to": 1}})"), "[3,2,1]");
  EXPECT_EQ(text_of(R"({"range": {"from": -1, "to": -1}})"), "[-1]");
}

TEST(AxisValues, OfALogspaceHaveEqualRatiosAndBothEnds) {
  EXPECT_EQ(text_of(R"({"logspace": {"from": 1e-4, "to": 1, "count": 5}})"),
            "[0.0001,0.001,0.01,0.1,1]");
  EXPECT_EQ(text_of(R"({"logspace": {"from": 1000, "to": 10, "count": 3}})"), "[1000,100,10]");
}

TEST(AxisValues, OfALogspaceCanBeWholeAndThenDiffer) {
  EXPECT_EQ(text_of(R"({"logspace": {"from": 1, "to": 10, "count": 8, "whole": true}})"),
            "[1,2,3,4,5,7,10]");
}

TEST(AxisValues, OfPowersOfTwoLieBetweenTheEnds) {
  EXPECT_EQ(text_of(R"({"powers_of_two": {"from": 60, "to": 600}})"), "[64,128,256,512]");
  EXPECT_EQ(text_of(R"({"powers_of_two": {"from": 1, "to": 1}})"), "[1]");
}

TEST(AxisValues, NameWhatIsAllowed) {
  EXPECT_THAT(error_of_values("3"),
              HasSubstr("/axes \"/seed\": found 3; allowed: an array of 1 to 10000"));
  EXPECT_THAT(error_of_values("[]"), HasSubstr("/axes \"/seed\": found 0 values; allowed"));
  EXPECT_THAT(error_of_values(R"({"rang": {}})"),
              HasSubstr("\"range\", \"logspace\", \"powers_of_two\""));
  EXPECT_THAT(error_of_values("{}"), HasSubstr("found an object; allowed"));
  EXPECT_THAT(error_of_values(R"({"range": 3})"),
              HasSubstr("/axes \"/seed\" /range: found 3; allowed"));
}

TEST(AxisValues, NameWhatAGeneratorLacks) {
  EXPECT_THAT(error_of_values(R"({"range": {"from": 1}})"),
              HasSubstr("/axes \"/seed\" /range/to: found nothing; this key is required"));
  EXPECT_THAT(error_of_values(R"({"range": {"from": 1, "to": 3, "step": 0}})"),
              HasSubstr("/range/step: found 0; allowed: a number above 0"));
  EXPECT_THAT(error_of_values(R"({"range": {"from": 1, "to": 3, "stride": 2}})"),
              HasSubstr("/range/stride: unknown key"));
  EXPECT_THAT(error_of_values(R"({"logspace": {"from": 0, "to": 3, "count": 2}})"),
              HasSubstr("/logspace/from: found 0"));
  EXPECT_THAT(error_of_values(R"({"logspace": {"from": 1, "to": 3, "count": 1}})"),
              HasSubstr("/logspace/count: found 1; allowed: an integer from 2"));
  EXPECT_THAT(error_of_values(R"({"powers_of_two": {"from": 65, "to": 127}})"),
              HasSubstr("found no power of two from 65 to 127"));
}

TEST(AxisValues, AreBounded) {
  EXPECT_EQ(values_of(R"({"range": {"from": 1, "to": 10000}})").size(), 10'000U);
  EXPECT_THAT(error_of_values(R"({"range": {"from": 0, "to": 10000}})"),
              HasSubstr("gives more than 10000 values"));
  EXPECT_THAT(error_of_values(R"({"range": {"from": -1e15, "to": 1e15, "step": 1e-300}})"),
              HasSubstr("gives more than 10000 values"));
  EXPECT_THAT(error_of_values(R"({"logspace": {"from": 1, "to": 3, "count": 10001}})"),
              HasSubstr("/count: found 10001"));
}

}  // namespace
}  // namespace runahead::config
