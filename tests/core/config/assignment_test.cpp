#include "core/config/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "support/error_message.h"

namespace runahead::config {
namespace {

using ::testing::HasSubstr;

std::string after_set(const std::string& document, const std::string& assignment) {
  Json json = parse_json(document, "test.json");
  apply_set(json, assignment);
  return json.dump();
}

std::string error_of(const std::string& document, const std::string& assignment) {
  return test::error_message<ConfigError>(
      [&] { static_cast<void>(after_set(document, assignment)); });
}

TEST(ApplySet, TakesJsonOrElseAString) {
  EXPECT_EQ(after_set("{}", "/a=3"), R"({"a":3})");
  EXPECT_EQ(after_set("{}", "/a=[1, 2]"), R"({"a":[1,2]})");
  EXPECT_EQ(after_set("{}", "/a=cuda"), R"({"a":"cuda"})");
  EXPECT_EQ(after_set("{}", "/a=\"3\""), R"({"a":"3"})");
  EXPECT_EQ(after_set("{}", "/a="), R"({"a":""})");
  EXPECT_EQ(after_set("{}", "/a=b=c"), R"({"a":"b=c"})");
}

TEST(ApplySet, ChangesAndAddsKeysOnTheWay) {
  EXPECT_EQ(after_set(R"({"a":{"b":1,"c":2}})", "/a/b=3"), R"({"a":{"b":3,"c":2}})");
  EXPECT_EQ(after_set("{}", "/a/b/c=1"), R"({"a":{"b":{"c":1}}})");
  EXPECT_EQ(after_set(R"({"a":[1,2]})", "/a/1=3"), R"({"a":[1,3]})");
  EXPECT_EQ(after_set("{}", "/a~1b=1"), R"({"a/b":1})");
}

TEST(ApplySet, PolicyDropsTheKeysOfOtherPolicies) {
  const std::string every_n = R"({"sync":{"policy":"every_n","n":3,"wait":"all"}})";

  EXPECT_EQ(after_set(every_n, "/sync/policy=none"), R"({"sync":{"policy":"none"}})");
  EXPECT_EQ(after_set(every_n, "/sync/policy=every_batch"),
            R"({"sync":{"policy":"every_batch","wait":"all"}})");
  EXPECT_EQ(after_set(R"({"sync":{"policy":"none","nn":1}})", "/sync/policy=every_n"),
            R"({"sync":{"policy":"every_n","nn":1}})");
}

TEST(ApplySet, RefusesWhatItCannotSet) {
  EXPECT_THAT(error_of("{}", "/a"), HasSubstr("--set /a: found no value; allowed: /KEY=VALUE"));
  EXPECT_THAT(error_of("{}", "a=1"), HasSubstr("--set /a=1"));
  EXPECT_THAT(error_of("{}", "=1"), HasSubstr("allowed: /KEY=VALUE"));
  EXPECT_THAT(error_of("{}", "/a~2=1"), HasSubstr("is not a JSON pointer"));
  EXPECT_THAT(error_of(R"({"a":"off"})", "/a/b=1"), HasSubstr("/a is \"off\", which has no keys"));
  EXPECT_THAT(error_of(R"({"a":[1]})", "/a/1=1"), HasSubstr("/a has 1 elements"));
  EXPECT_THAT(error_of("[]", "/sync/policy=none"), HasSubstr("no element sync"));
  EXPECT_THAT(error_of("3", "/a=1"), HasSubstr("the config is 3, which has no keys"));
  EXPECT_THAT(error_of("{}", R"(/a={"b":1,"b":2})"), HasSubstr("given more than once"));
}

TEST(ApplySet, AnUnknownKeyIsFoundByTheStrictReading) {
  Json document = parse_json(R"({"experiment": "train"})", "test.json");
  apply_set(document, "/data/batchsize=3");

  EXPECT_THAT(test::error_message<ConfigError>(
                  [&] { static_cast<void>(read_experiment(document, "test.json")); }),
              HasSubstr("/data/batchsize: unknown key; did you mean \"batch_size\"? "));
}

TEST(ApplySet, AnUnknownPolicyDropsNothing) {
  EXPECT_EQ(after_set(R"({"sync":{"policy":"window","batches":1}})", "/sync/policy=x"),
            R"({"sync":{"policy":"x","batches":1}})");
}

}  // namespace
}  // namespace runahead::config
