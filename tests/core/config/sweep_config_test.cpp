#include "core/config/sweep_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "sweep_text.h"

namespace runahead::config {
namespace {

using test::error_of_axes;
using test::error_of_sweep;
using test::sweep_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

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

TEST(SweepConfig, CellsThatCannotBeResolvedAreNamed) {
  const auto error_of_cell = [](const Json& axes) {
    return test::error_message<ConfigError>([&] {
      static_cast<void>(resolve_cell({{"experiment", "train"}, {"seed", 3}}, axes, "sweep.json"));
    });
  };
  EXPECT_THAT(error_of_cell({{"/batches", 0}, {"/loss", "l3"}}),
              AllOf(HasSubstr(R"(sweep.json, cell {"/batches":0,"/loss":"l3"}: /batches: found 0)"),
                    HasSubstr("/loss: found \"l3\"")));
  EXPECT_THAT(error_of_cell({{"/seed/x", 4}}),
              HasSubstr(R"(cell {"/seed/x":4}: /seed/x: /seed is 3)"));
}

TEST(SweepConfig, WrongKeysAreNamed) {
  EXPECT_THAT(error_of_sweep("{}"), HasSubstr("/base: found nothing; this key is required"));
  EXPECT_THAT(error_of_sweep(R"({"base": 3})"),
              HasSubstr("/base: found 3; allowed: an experiment"));
  EXPECT_THAT(error_of_sweep(R"({"base": "absent.json"})"),
              HasSubstr("/base: there is no file './absent.json'; check the path"));
  EXPECT_THAT(error_of_sweep(R"({"base": {"experiment": "train"}, "repeat": 3})"),
              HasSubstr("/repeat: unknown key; did you mean \"repeats\"? "));
  EXPECT_THAT(error_of_sweep(R"({"base": {"experiment": "train"}, "repeats": 0})"),
              HasSubstr("/repeats: found 0; allowed: an integer from 1 to 10000"));
  EXPECT_THAT(error_of_sweep(R"({"base": {"experiment": "train"}, "timeout": "soon"})"),
              HasSubstr("/timeout: found \"soon\""));
  EXPECT_THAT(error_of_sweep(R"({"base": {"experiment": "train"}, "jobs": 0})"),
              HasSubstr("/jobs"));
  EXPECT_THAT(error_of_sweep(R"({"base": {"experiment": "train"}, "order": "randm"})"),
              HasSubstr("/order: found \"randm\"; did you mean \"random\"? allowed: "
                        "\"interleaved\", \"random\""));
  EXPECT_THAT(error_of_sweep(R"({"experiment": "train"})"), HasSubstr("runahead run"));
}

TEST(SweepConfig, CellsAreBounded) {
  const std::string thousand = R"({"range": {"from": 1, "to": 1000}})";
  const std::string too_many = "found more than 100000 cells";

  EXPECT_THAT(error_of_axes(R"({"/seed": )" + thousand + R"(, "/batches": )" + thousand + "}"),
              HasSubstr(too_many));
  EXPECT_THAT(
      error_of_sweep(R"({"base": {"experiment": "train"}, "repeats": 101, "axes": {"/seed": )" +
                     thousand + "}}"),
      HasSubstr(too_many));
  EXPECT_THAT(error_of_sweep(R"({"base": {"experiment": "train"}, "repeats": 100, "cells": [{}],)"
                             R"("axes": {"/seed": )" +
                             thousand + "}}"),
              HasSubstr(too_many));
  EXPECT_NO_THROW(sweep_of(
      R"({"base": {"experiment": "train"}, "repeats": 100, "axes": {"/seed": )" + thousand + "}}"));
}

}  // namespace
}  // namespace runahead::config
