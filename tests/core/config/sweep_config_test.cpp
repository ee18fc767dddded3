#include "core/config/sweep_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

SweepConfig read(const std::string& text) {
  return read_sweep(parse_json(text, "sweep.json"), "sweep.json", ".");
}

std::string error_of(const std::string& text) {
  return test::error_message<ConfigError>([&] { static_cast<void>(read(text)); });
}

/// The error for a sweep over these axes of the default experiment.
std::string error_of_axes(const std::string& axes) {
  return error_of(R"({"base": {"experiment": "train"}, "axes": )" + axes + "}");
}

TEST(SweepConfig, ReadsEveryKey) {
  const SweepConfig sweep = read(R"({"base": {"experiment": "train"},
      "axes": {"/sync/policy": ["none", "every_batch"], "/data/batch_size": [256, 1024]},
      "repeats": 3, "timeout": "5min", "memory_limit": "8GiB", "jobs": 2})");

  ASSERT_EQ(sweep.axes.size(), 2u);
  EXPECT_EQ(sweep.axes[0].pointer, "/sync/policy");
  EXPECT_EQ(sweep.axes[1].values, (std::vector<Json>{256, 1024}));
  EXPECT_EQ(sweep.repeats, 3);
  EXPECT_EQ(sweep.timeout_seconds, 300.0);
  EXPECT_EQ(sweep.memory_limit_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(sweep.jobs, 2);
}

TEST(SweepConfig, DefaultsAreOneCellWithoutBounds) {
  const SweepConfig sweep = read(R"({"base": {"experiment": "train"}})");

  EXPECT_EQ(combination_count(sweep), 1u);
  EXPECT_EQ(axes_values(sweep, 0), Json::object());
  EXPECT_EQ(sweep.repeats, 1);
  EXPECT_EQ(sweep.jobs, 1);
  EXPECT_FALSE(sweep.timeout_seconds.has_value());
  EXPECT_FALSE(sweep.memory_limit_bytes.has_value());
}

TEST(SweepConfig, ReadsBackWhatItWrites) {
  const Json resolved = to_json(read(R"({"base": {"experiment": "train"},
      "axes": {"/seed": [1, 2]}, "timeout": 1.5})"));

  EXPECT_EQ(resolved.dump(), R"({"base":{"experiment":"train"},"axes":{"/seed":[1,2]},"repeats":1,)"
                             R"("timeout":1.5,"memory_limit":null,"jobs":1})");
  EXPECT_EQ(to_json(read_sweep(resolved, "resolved", ".")), resolved);
}

TEST(SweepConfig, TheLastAxisVariesFastest) {
  const SweepConfig sweep = read(R"({"base": {"experiment": "train"},
      "axes": {"/seed": [1, 2], "/batches": [10, 20, 30]}})");

  ASSERT_EQ(combination_count(sweep), 6u);
  EXPECT_EQ(axes_values(sweep, 0).dump(), R"({"/seed":1,"/batches":10})");
  EXPECT_EQ(axes_values(sweep, 2).dump(), R"({"/seed":1,"/batches":30})");
  EXPECT_EQ(axes_values(sweep, 3).dump(), R"({"/seed":2,"/batches":10})");
  EXPECT_THROW(static_cast<void>(axes_values(sweep, 6)), UsageError);
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

  EXPECT_EQ(none.sync.policy, SyncPolicyKind::kNone);
  EXPECT_EQ(window.sync.batches, 5);  // Although the policy comes after it, and drops keys.
}

TEST(SweepConfig, AxesAreListsOfValuesUnderPointers) {
  EXPECT_THAT(error_of_axes(R"({"/seed": 3})"), HasSubstr("/axes/~1seed: found no array"));
  EXPECT_THAT(error_of_axes(R"({"/seed": []})"), HasSubstr("/axes/~1seed: found 0 values"));
  EXPECT_THAT(error_of_axes(R"({"seed": [3]})"), HasSubstr("\"seed\" is not a JSON pointer"));
  EXPECT_THAT(error_of_axes(R"({"": [3]})"), HasSubstr("the whole config"));
  EXPECT_THAT(error_of_axes("[]"), HasSubstr("/axes: found an array; allowed: an object"));
  EXPECT_THAT(error_of_axes(R"({"/sync": [{"policy": "none"}], "/sync/policy": ["none"]})"),
              HasSubstr("lies within another axis, /sync"));
}

TEST(SweepConfig, WrongKeysAreNamed) {
  EXPECT_THAT(error_of("{}"), HasSubstr("/base: found nothing; this key is required"));
  EXPECT_THAT(error_of(R"({"base": 3})"), HasSubstr("/base: found 3; allowed: an experiment"));
  EXPECT_THAT(error_of(R"({"base": "absent.json"})"), HasSubstr("absent.json: no such file"));
  EXPECT_THAT(error_of(R"({"base": {"experiment": "train"}, "repeat": 3})"),
              HasSubstr("/repeat: unknown key; nearest known: \"repeats\""));
  EXPECT_THAT(error_of(R"({"base": {"experiment": "train"}, "repeats": 0})"),
              HasSubstr("/repeats: found 0; allowed: an integer from 1 to 10000"));
  EXPECT_THAT(error_of(R"({"base": {"experiment": "train"}, "timeout": "soon"})"),
              HasSubstr("/timeout: found \"soon\""));
  EXPECT_THAT(error_of(R"({"base": {"experiment": "train"}, "jobs": 0})"), HasSubstr("/jobs"));
  EXPECT_THAT(error_of(R"({"experiment": "train"})"), HasSubstr("runahead run"));
}

TEST(SweepConfig, CellsAreBounded) {
  std::string values = "[0";
  for (int seed = 1; seed < 1000; ++seed) {
    values += "," + std::to_string(seed);
  }
  values += "]";
  EXPECT_THAT(error_of_axes(R"({"/seed": )" + values + R"(, "/batches": )" + values + "}"),
              HasSubstr("found more than 100000 cells"));
  EXPECT_THAT(error_of(R"({"base": {"experiment": "train"}, "repeats": 1000, "axes": {"/seed": )" +
                       values + "}}"),
              HasSubstr("found more than 100000 cells"));
}

}  // namespace
}  // namespace runahead::config
