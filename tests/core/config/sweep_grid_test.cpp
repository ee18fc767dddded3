#include "core/config/sweep_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "sweep_text.h"

namespace runahead::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

TEST(SweepGrid, TheLastAxisVariesFastest) {
  EXPECT_THAT(cells_of(R"(, "axes": {"/seed": [1, 2], "/batches": [10, 20, 30]})"),
              ElementsAre(R"({"/seed":1,"/batches":10})", R"({"/seed":1,"/batches":20})",
                          R"({"/seed":1,"/batches":30})", R"({"/seed":2,"/batches":10})",
                          R"({"/seed":2,"/batches":20})", R"({"/seed":2,"/batches":30})"));
}

TEST(SweepGrid, ZippedAxesTakeTheirValuesTogether) {
  EXPECT_THAT(cells_of(R"(, "axes": {"/seed": [1, 2]},
                           "zip": [{"/batches": [10, 20], "/device": ["cpu", "acpu"]}])"),
              ElementsAre(R"({"/seed":1,"/batches":10,"/device":"cpu"})",
                          R"({"/seed":1,"/batches":20,"/device":"acpu"})",
                          R"({"/seed":2,"/batches":10,"/device":"cpu"})",
                          R"({"/seed":2,"/batches":20,"/device":"acpu"})"));
}

TEST(SweepGrid, GroupsOfZipAreMultiplied) {
  const SweepConfig sweep = sweep_with(R"(, "zip": [{"/batches": [1, 2], "/seed": [1, 2]},
      {"/data/features": [1, 2, 3], "/data/batch_size": [1, 2, 3]}])");

  EXPECT_EQ(combination_count(sweep), 6U);
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

TEST(SweepGrid, HasNoMoreCombinations) {
  const SweepConfig sweep = sweep_with(R"(, "axes": {"/seed": [1, 2]})");

  EXPECT_THROW(static_cast<void>(axes_values(sweep, 2)), UsageError);
  EXPECT_THROW(static_cast<void>(is_excluded(sweep, 2)), UsageError);
}

}  // namespace
}  // namespace runahead::config
