#include "core/config/sweep_config.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "sweep_text.h"

namespace runahead::config {
namespace {

using test::sweep_of;

TEST(SweepConfig, ReadsEveryKey) {
  const SweepConfig sweep = sweep_of(R"({"base": {"experiment": "train"},
      "axes": {"/sync/policy": ["none", "every_batch"], "/data/batch_size": [256, 1024]},
      "zip": [{"/seed": [1, 2], "/batches": {"powers_of_two": {"from": 4, "to": 8}}}],
      "cells": [{"/data/batch_size": 7}], "exclude": [{"/sync/policy": "none", "/seed": 2}],
      "repeats": 3, "order": "random", "order_seed": 5, "timeout": "5min", "memory_limit": "8GiB",
      "jobs": 2})");

  ASSERT_EQ(sweep.axes.size(), 2u);
  EXPECT_EQ(sweep.axes[0].pointer, "/sync/policy");
  EXPECT_EQ(sweep.axes[1].values, (std::vector<Json>{256, 1024}));
  ASSERT_EQ(sweep.zip.size(), 1u);
  EXPECT_EQ(sweep.zip[0][1].values, (std::vector<Json>{4, 8}));
  ASSERT_EQ(sweep.cells.size(), 1u);
  EXPECT_EQ(sweep.cells[0].dump(), R"({"/data/batch_size":7})");
  EXPECT_EQ(sweep.exclude.size(), 1u);
  EXPECT_EQ(sweep.repeats, 3);
  EXPECT_EQ(sweep.order, RunOrder::kRandom);
  EXPECT_EQ(sweep.order_seed, 5u);
  EXPECT_EQ(sweep.timeout_seconds, 300.0);
  EXPECT_EQ(sweep.memory_limit_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(sweep.jobs, 2);
}

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

TEST(SweepConfig, ABaseFileIsRelativeToTheSweep) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "base.json", R"({"experiment": "train", "batches": 7})");
  const auto path = test::write_text(folder.path() / "sweep.json", R"({"base": "base.json"})");

  const SweepConfig sweep = load_sweep(path);

  EXPECT_EQ(sweep.base["batches"], 7);
  EXPECT_EQ(to_json(sweep)["base"]["batches"], 7);
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

TEST(SweepConfig, MayHaveAsManyCellsAsTheBound) {
  EXPECT_NO_THROW(sweep_of(R"({"base": {"experiment": "train"}, "repeats": 100,
                               "axes": {"/seed": {"range": {"from": 1, "to": 1000}}}})"));
}

}  // namespace
}  // namespace runahead::config
