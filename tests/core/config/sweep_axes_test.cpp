#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/axis_values.h"
#include "core/config/sweep_axes.h"
#include "core/config/sweep_config.h"
#include "sweep_text.h"

namespace runahead::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Json> values_of(const std::string& text) {
  JsonProblems problems("sweep.json");
  const std::vector<Json> values =
      read_axis_values(parse_json(text, "sweep.json"), "/axes/~1seed", problems);
  problems.throw_if_any();
  return values;
}

/// The values as the resolved sweep config has them.
std::string text_of(const std::string& text) { return dump_json(values_of(text)); }

TEST(AxisValues, OfARangeIncludeItsEndIfAStepEndsThere) {
  EXPECT_EQ(text_of(R"({"range": {"from": 10, "to": 13}})"), "[10,11,12,13]");
  EXPECT_EQ(text_of(R"({"range": {"from": 0, "to": 10, "step": 4}})"), "[0,4,8]");
  EXPECT_EQ(text_of(R"({"range": {"from": 0, "to": 0.3, "step": 0.1}})"), "[0,0.1,0.2,0.3]");
  EXPECT_EQ(text_of(R"({"range": {"from": 3, "to": 1}})"), "[3,2,1]");
  EXPECT_EQ(text_of(R"({"range": {"from": -1, "to": -1}})"), "[-1]");
  EXPECT_EQ(values_of(R"({"range": {"from": 1, "to": 10000}})").size(), 10'000U);
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

SweepConfig sweep_with(const std::string& keys) {
  return test::sweep_of(R"({"base": {"experiment": "train"})" + keys + "}");
}

/// The combinations that are not excluded.
std::vector<std::string> cells_of(const std::string& keys) {
  const SweepConfig sweep = sweep_with(keys);
  std::vector<std::string> cells;
  for (std::size_t index = 0; index < combination_count(sweep); ++index) {
    if (!is_excluded(sweep, index)) cells.push_back(dump_json(axes_values(sweep, index)));
  }
  return cells;
}

TEST(SweepGrid, ZippedAxesTakeTheirValuesTogether) {
  EXPECT_THAT(cells_of(R"(, "axes": {"/seed": [1, 2]},
                           "zip": [{"/batches": [10, 20], "/device": ["cpu", "acpu"]}])"),
              ElementsAre(R"({"/seed":1,"/batches":10,"/device":"cpu"})",
                          R"({"/seed":1,"/batches":20,"/device":"acpu"})",
                          R"({"/seed":2,"/batches":10,"/device":"cpu"})",
                          R"({"/seed":2,"/batches":20,"/device":"acpu"})"));
}

TEST(SweepGrid, CellsStandBesideTheGrid) {
  EXPECT_THAT(cells_of(R"(, "axes": {"/seed": [1]}, "cells": [{"/batches": 7}, {}])"),
              ElementsAre(R"({"/seed":1})", R"({"/batches":7})", "{}"));
  EXPECT_THAT(cells_of(R"(, "cells": [{"/batches": 7}])"), ElementsAre(R"({"/batches":7})"));
}

TEST(SweepGrid, LeavesOutWhatAgreesWithAnExclusion) {
  EXPECT_THAT(cells_of(R"(, "axes": {"/seed": [1, 2], "/batches": [10, 20]},
                           "exclude": [{"/seed": 1, "/batches": 20}, {"/batches": 10}])"),
              ElementsAre(R"({"/seed":2,"/batches":20})"));
  EXPECT_THAT(cells_of(R"(, "axes": {"/seed": [1]}, "exclude": [{"/seed": 1}])"), IsEmpty());
}

TEST(SweepGrid, LeavesOutNoneOfTheCells) {
  EXPECT_THAT(
      cells_of(R"(, "axes": {"/seed": [1]}, "cells": [{"/seed": 1}], "exclude": [{"/seed": 1}])"),
      ElementsAre(R"({"/seed":1})"));
}

}  // namespace
}  // namespace runahead::config
