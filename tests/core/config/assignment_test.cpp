#include "core/config/assignment.h"

#include <gtest/gtest.h>

#include "core/config/experiment_config.h"

namespace runahead::config {
namespace {

std::string after_set(const std::string& document, const std::string& assignment) {
  Json json = parse_json(document, "test.json");
  apply_set(json, assignment);
  return json.dump();
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

}  // namespace
}  // namespace runahead::config
