#include "core/config/sweep_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep_text.h"

namespace runahead::config {
namespace {

using test::error_of_axes;
using ::testing::HasSubstr;

/// The error for a sweep of the default experiment with these keys besides `base`.
std::string error_of_keys(const std::string& keys) {
  return test::error_of_sweep(test::sweep_text(keys));
}

TEST(SweepAxes, AreValuesUnderPointers) {
  EXPECT_THAT(error_of_axes(R"({"/seed": 3})"), HasSubstr("/axes \"/seed\": found 3; allowed"));
  EXPECT_THAT(error_of_axes(R"({"/seed": []})"), HasSubstr("/axes \"/seed\": found 0 values"));
  EXPECT_THAT(error_of_axes(R"({"seed": [3]})"), HasSubstr("\"seed\" is not a JSON pointer"));
  EXPECT_THAT(error_of_axes(R"({"": [3]})"), HasSubstr("the whole config"));
  EXPECT_THAT(error_of_axes("[]"), HasSubstr("/axes: found an array; allowed: an object"));
}

TEST(SweepAxes, DoNotOverlap) {
  EXPECT_THAT(error_of_axes(R"({"/sync": [{"policy": "none"}], "/sync/policy": ["none"]})"),
              HasSubstr("lies within another axis, /sync"));
  EXPECT_THAT(error_of_keys(R"("axes": {"/seed": [1]}, "zip": [{"/seed": [1], "/batches": [2]}])"),
              HasSubstr("/zip/0 \"/seed\": is set by /axes \"/seed\" too"));
  EXPECT_THAT(error_of_keys(R"("cells": [{"/sync": {}, "/sync/policy": "none"}])"),
              HasSubstr("/cells/0 \"/sync/policy\": lies within another axis, /sync"));
}

TEST(SweepAxes, ThatAreZippedHaveAsManyValues) {
  EXPECT_THAT(error_of_keys(R"("zip": {"/seed": [1]})"),
              HasSubstr("/zip: found an object; allowed"));
  EXPECT_THAT(error_of_keys(R"("zip": [{"/seed": [1]}])"), HasSubstr("/zip/0: found 1 axes"));
  EXPECT_THAT(error_of_keys(R"("zip": [{"/seed": [1, 2], "/batches": [3]}])"),
              HasSubstr("/zip/0: found 2 values of /seed and 1 of /batches; allowed: as many"));
}

TEST(SweepAxes, AreCountedBeforeTheirValuesAreGenerated) {
  Json group = Json::object();
  for (int key = 0; key < 40; ++key) group["/key" + std::to_string(key)] = Json{{"range", "wrong"}};
  const std::string error = error_of_keys("\"zip\": " + Json::array({group, group}).dump());

  EXPECT_THAT(error, HasSubstr("/axes: found 80 axes, those of zip included; allowed: at most 64"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("wrong"))) << "no value was looked at";
}

TEST(SweepAxes, CellsAndExclusionsAreValuesUnderPointers) {
  EXPECT_THAT(error_of_keys(R"("cells": [3])"), HasSubstr("/cells/0: found 3; allowed: an object"));
  EXPECT_THAT(error_of_keys(R"("cells": [{"seed": 3}])"),
              HasSubstr("/cells/0/seed: \"seed\" is not"));
  EXPECT_THAT(error_of_keys(R"("cells": {})"),
              HasSubstr("/cells: found an object; allowed: an array"));
  EXPECT_THAT(error_of_keys(R"("axes": {"/seed": [1]}, "exclude": [[]])"),
              HasSubstr("/exclude/0: found an array; allowed: an object"));
}

TEST(SweepAxes, AnExclusionNamesValuesOfAxes) {
  const auto error_of_exclusion = [](const std::string& entry) {
    return error_of_keys(
        R"("axes": {"/seed": [1, 2]}, "zip": [{"/batches": [1], "/loss": ["l1"]}],)"
        R"("exclude": [)" +
        entry + "]");
  };
  EXPECT_THAT(error_of_exclusion(R"({"/sed": 1})"),
              HasSubstr("/exclude/0 \"/sed\": no axis has this pointer; did you mean \"/seed\"? "));
  EXPECT_THAT(error_of_exclusion(R"({"/seed": 3})"),
              HasSubstr("/exclude/0 \"/seed\": found 3; allowed: a value of that axis"));
  EXPECT_THAT(error_of_exclusion(R"({"/loss": "l2"})"), HasSubstr("found \"l2\""));
  EXPECT_THAT(error_of_exclusion("{}"), HasSubstr("leaves out everything"));
  EXPECT_THAT(error_of_keys(R"("exclude": [{"/seed": 1}])"), HasSubstr("there are no axes"));
}

}  // namespace
}  // namespace runahead::config
