#include "core/config/sweep_config.h"

#include <gtest/gtest.h>

#include "sweep_text.h"

namespace runahead::config {
namespace {

using test::sweep_of;

TEST(SweepConfig, ReadsBackWhatItWrites) {
  const Json resolved = to_json(sweep_of(R"({"base": {"experiment": "train"},
      "axes": {"/seed": {"range": {"from": 1, "to": 2}}}, "zip": [{"/batches": [3], "/loss": ["l1"]}],
      "cells": [{"/seed": 9}], "exclude": [{"/seed": 1}], "timeout": 1.5})"));

  EXPECT_EQ(resolved.dump(),
            R"({"base":{"experiment":"train"},"axes":{"/seed":[1,2]},)"
            R"("zip":[{"/batches":[3],"/loss":["l1"]}],"cells":[{"/seed":9}],)"
            R"("exclude":[{"/seed":1}],"repeats":1,"order":"interleaved","order_seed":0,)"
            R"("timeout":1.5,"memory_limit":null,"jobs":1})");
  EXPECT_EQ(to_json(read_sweep(resolved, "resolved", ".")), resolved);
}

TEST(SweepConfig, CellsAreResolved) {
  const Json base =
      parse_json(R"({"experiment": "train", "sync": {"policy": "every_n", "n": 3}})", "base");

  const ExperimentConfig none = resolve_cell(base, {{"/sync/policy", "none"}}, "sweep.json");
  const ExperimentConfig window =
      resolve_cell(base, {{"/sync/batches", 5}, {"/sync/policy", "window"}}, "sweep.json");

  EXPECT_EQ(none.sync.policy(), "none");
  EXPECT_EQ(window.sync.value("batches"),
            5);  // Although the policy comes after it, and drops keys.
}

}  // namespace
}  // namespace runahead::config
