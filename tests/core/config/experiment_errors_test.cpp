// What a user reads for each wrong config: the file, the JSON pointer, what was found, what is
// allowed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const std::string& text) {
  return test::error_message<ConfigError>(
      [&] { static_cast<void>(read_experiment(parse_json(text, "test.json"), "test.json")); });
}

/// The error for a train config with one more key.
std::string error_with(const std::string& keys) {
  return error_of(R"({"experiment": "train", )" + keys + "}");
}

TEST(ExperimentErrors, UnknownKeyNamesTheNearest) {
  EXPECT_THAT(error_with(R"("data": {"batchsize": 4})"),
              AllOf(HasSubstr("test.json: /data/batchsize: unknown key"),
                    HasSubstr("nearest known: \"batch_size\""), HasSubstr("\"features\"")));
  EXPECT_THAT(error_with(R"("devise": "cpu")"),
              HasSubstr("allowed: \"experiment\", \"device\", \"seed\""));
  EXPECT_THAT(error_with(R"("acpu": {"limit": {"operation": 4, "bytes": 9}})"),
              HasSubstr("/acpu/limit/operation: unknown key; nearest known: \"operations\""));
}

TEST(ExperimentErrors, AllAreReportedAtOnce) {
  EXPECT_THAT(error_with(R"("devise": "cpu", "batches": 0, "data": {"features": "many"})"),
              AllOf(HasSubstr("/devise"), HasSubstr("/batches"), HasSubstr("/data/features")));
}

TEST(ExperimentErrors, WrongTypesAreNamed) {
  EXPECT_THAT(error_with(R"("batches": "7")"),
              HasSubstr("/batches: found \"7\"; allowed: an integer from 1 to 1000000"));
  EXPECT_THAT(error_with(R"("batches": 1.5)"), HasSubstr("/batches: found 1.5; allowed: an int"));
  EXPECT_THAT(error_with(R"("batches": null)"), HasSubstr("/batches: found null; allowed"));
  EXPECT_THAT(error_with(R"("threads": {"pin": 1})"),
              HasSubstr("/threads/pin: found 1; allowed: true or false"));
  EXPECT_THAT(error_with(R"("data": [])"), HasSubstr("/data: found an array; allowed: an object"));
  EXPECT_THAT(error_with(R"("model": {"layers": 5})"), HasSubstr("/model/layers: found 5"));
  EXPECT_THAT(error_with(R"("model": {"layers": [5, "x"]})"), HasSubstr("/model/layers/1"));
  EXPECT_THAT(error_with(R"("optimizer": {"learning_rate": "fast"})"),
              HasSubstr("/optimizer/learning_rate: found \"fast\"; allowed: a number from 0"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("test.json: found an array; allowed: an object"));
  EXPECT_THAT(error_of("3"), HasSubstr("test.json: found 3; allowed: an object"));
}

TEST(ExperimentErrors, SizesOutOfRangeAreNamed) {
  EXPECT_THAT(error_with(R"("data": {"batch_size": 0})"),
              HasSubstr("/data/batch_size: found 0; allowed: an integer from 1 to 16777216"));
  EXPECT_THAT(error_with(R"("data": {"batch_size": -3})"), HasSubstr("found -3; allowed"));
  EXPECT_THAT(error_with(R"("data": {"features": 1000000000000})"),
              HasSubstr("/data/features: found 1000000000000; allowed: an integer from 1 to"));
  EXPECT_THAT(error_with(R"("data": {"features": 99999999999999999999999})"),
              HasSubstr("/data/features"));
  EXPECT_THAT(error_with(R"("seed": -1)"), HasSubstr("/seed: found -1"));
  EXPECT_THAT(error_with(R"("seed": 18446744073709551616)"), HasSubstr("/seed: found"));
  EXPECT_THAT(error_with(R"("model": {"layers": []})"),
              HasSubstr("/model/layers: found an array of 0; allowed: an array of 1 to 256"));
  EXPECT_THAT(error_with(R"("monitor": {"rate_hz": -1})"), HasSubstr("/monitor/rate_hz"));
  EXPECT_THAT(error_with(R"("monitor": {"rate_hz": 20000})"), HasSubstr("/monitor/rate_hz"));
  EXPECT_THAT(error_with(R"("monitor": {"rate_hz": 0.0001})"), HasSubstr("0.001 to 10000"));
  EXPECT_THAT(
      error_with(R"("data": {"seconds_per_batch": "2 weeks"})"),
      AllOf(HasSubstr("/data/seconds_per_batch: found \"2 weeks\""), HasSubstr("\"5min\"")));
  EXPECT_THAT(error_with(R"("sync": {"policy": "budget", "bytes": "1.5 gigs"})"),
              AllOf(HasSubstr("/sync/bytes: found \"1.5 gigs\""), HasSubstr("\"1.5GiB\"")));
  EXPECT_THAT(error_with(R"("sync": {"policy": "budget", "bytes": 0})"), HasSubstr("/sync/bytes"));
}

TEST(ExperimentErrors, TensorsLargerThanAnyMachineAreRefused) {
  EXPECT_THAT(error_with(R"("data": {"features": 16777216, "batch_size": 16777216})"),
              AllOf(HasSubstr("/data/features: found a batch of 16777216 x 16777216"),
                    HasSubstr("make one of the two sizes smaller")));
  EXPECT_THAT(error_with(R"("model": {"layers": [16777216, 16777216, 1]})"),
              HasSubstr("/model/layers/1: found a layer's weights of 16777216 x 16777216"));
  EXPECT_NO_THROW(static_cast<void>(read_experiment(
      parse_json(R"({"experiment": "train", "data": {"features": 16777216, "batch_size": 16},
                     "model": {"layers": [1]}})",
                 "t"),
      "t")));
}

TEST(ExperimentErrors, ChoicesNameTheNearest) {
  EXPECT_THAT(error_with(R"("sync": {"policy": "every_bach"})"),
              AllOf(HasSubstr("/sync/policy: found \"every_bach\"; allowed: \"none\""),
                    HasSubstr("nearest: \"every_batch\"")));
  EXPECT_THAT(
      error_with(R"("model": {"activation": 3})"),
      AllOf(HasSubstr("/model/activation: found 3; allowed: \"relu\""), Not(HasSubstr("nearest"))));
  EXPECT_THAT(error_with(R"("device": "gpu")"),
              HasSubstr("/device: found \"gpu\"; allowed: \"cpu\", \"acpu\", \"cuda\" or"));
  EXPECT_THAT(error_with(R"("device": "cuda:x")"), HasSubstr("/device: found \"cuda:x\""));
}

TEST(ExperimentErrors, AWrongPolicyIsTheOnlyErrorOfItsSection) {
  EXPECT_THAT(error_with(R"("sync": {"policy": "windows", "batches": 3})"),
              Not(HasSubstr("/sync/batches")));
}

TEST(ExperimentErrors, KeysOfAnotherPolicyAreNotKeysOfThisOne) {
  EXPECT_THAT(error_with(R"("sync": {"policy": "none", "wait": "all"})"),
              HasSubstr("/sync/wait: not a key of policy \"none\"; it belongs to \"every_batch\", "
                        "\"every_n\""));
  EXPECT_THAT(error_with(R"("sync": {"n": 3})"),
              HasSubstr("/sync/n: not a key of policy \"every_batch\"; it belongs to \"every_n\""));
  EXPECT_THAT(error_with(R"("sync": {"policy": "window", "n": 3})"), HasSubstr("/sync/n"));
}

TEST(ExperimentErrors, ExperimentIsRequiredAndMustExist) {
  EXPECT_THAT(error_of("{}"), HasSubstr("/experiment: found nothing; this key is required; "
                                        "allowed: \"dispatch\", \"matmul_loop\""));
  EXPECT_THAT(error_of(R"({"experiment": "trian"})"),
              AllOf(HasSubstr("/experiment: found \"trian\"; allowed: \"dispatch\", "),
                    HasSubstr("nearest: \"train\"")));
}

TEST(ExperimentErrors, KeysOfAnotherExperimentAreNotKeysOfThisOne) {
  EXPECT_THAT(error_of(R"({"experiment": "matmul_loop", "sync": {"policy": "none"}})"),
              HasSubstr("/sync: not a key of experiment \"matmul_loop\"; it belongs to \"train\", "
                        "\"predict\", \"front_end\""));
  EXPECT_THAT(error_with(R"("products": 3)"),
              HasSubstr("/products: not a key of experiment \"train\"; it belongs to "
                        "\"matmul_loop\""));
  EXPECT_THAT(error_of(R"({"experiment": "dispatch", "sise": 3})"),
              HasSubstr("/sise: unknown key; nearest known: \"size\""));
}

TEST(ExperimentErrors, TargetsAreCheckedWhereAModelIsTrained) {
  for (const char* text : {R"({"experiment": "data_iter", "data": {"targets": {"width": 2}}})",
                           R"({"experiment": "predict", "model": {"layers": [8, 2]}})"}) {
    EXPECT_NO_THROW(static_cast<void>(read_experiment(parse_json(text, "t"), "t"))) << text;
  }
  EXPECT_THAT(error_of(R"({"experiment": "front_end", "model": {"layers": [8, 2]}})"),
              HasSubstr("/data/targets/width: found 1"));
}

TEST(ExperimentErrors, WhatIsFittedNeedsTwoNumbers) {
  EXPECT_THAT(error_of(R"({"experiment": "increment", "fitted_operations": [5, 5]})"),
              HasSubstr("/fitted_operations: found 5 alone; allowed: two different numbers"));
  EXPECT_THAT(error_of(R"({"experiment": "exercise", "fitted_operations": [5]})"),
              HasSubstr("/fitted_operations: found an array of 1; allowed: an array of 2"));
}

TEST(ExperimentErrors, ADeviceIsHeldForAWhileAndNotForEver) {
  EXPECT_THAT(error_of(R"({"experiment": "launch_queue", "hold_seconds": 0})"),
              HasSubstr("/hold_seconds: found 0"));
  EXPECT_THAT(error_of(R"({"experiment": "launch_queue", "hold_seconds": "2min"})"),
              HasSubstr("/hold_seconds: found"));
}

TEST(ExperimentErrors, ATensorLargerThanAnyMachineIsRefused) {
  EXPECT_THAT(error_of(R"({"experiment": "increment", "shape": [16777216, 16777216]})"),
              HasSubstr("/shape: found a tensor of more than 1.10 TB"));
}

TEST(ExperimentErrors, BudgetAndLimitMustAgree) {
  EXPECT_THAT(error_with(R"("sync": {"policy": "budget", "bytes": 1000},
                            "acpu": {"limit": {"bytes": 2000}})"),
              AllOf(HasSubstr("/acpu/limit/bytes: found 2000"), HasSubstr("/sync/bytes, 1000")));
}

TEST(ExperimentErrors, LimitNeedsABound) {
  EXPECT_THAT(error_with(R"("acpu": {"limit": {}})"), HasSubstr("/acpu/limit: found no bound"));
  EXPECT_THAT(error_with(R"("acpu": {"limit": {"operations": 0}})"), HasSubstr("operations"));
  EXPECT_THAT(error_with(R"("acpu": {"limit": {"seconds": 0}})"), HasSubstr("above 0"));
  EXPECT_THAT(error_with(R"("acpu": {"limit": "of"})"),
              HasSubstr("/acpu/limit: found \"of\"; allowed: \"guard\", \"off\", or an object of "
                        "\"operations\", \"bytes\", \"seconds\""));
}

TEST(ExperimentErrors, TargetsMustFitTheLossAndTheModel) {
  EXPECT_THAT(error_with(R"("model": {"layers": [8, 2]})"),
              HasSubstr("/data/targets/width: found 1; allowed: 2, the width of the last of"));
  EXPECT_THAT(error_with(R"("loss": "cross_entropy")"),
              HasSubstr("/data/targets/value: found 1.0; allowed: with the loss cross_entropy"));
  EXPECT_THAT(error_with(R"("loss": "cross_entropy", "model": {"layers": [8, 4]},
                            "data": {"targets": {"width": 4}})"),
              HasSubstr("/data/targets/width: found 4; allowed: 1 with the loss cross_entropy"));
}

TEST(ExperimentErrors, MomentumIsOfSgdOnly) {
  EXPECT_THAT(error_with(R"("optimizer": {"kind": "adam", "momentum": 0.9})"),
              HasSubstr("/optimizer/momentum: found 0.9; allowed: 0 with adam"));
}

TEST(ExperimentErrors, SectionsOfUnusedDevicesAreChecked) {
  EXPECT_THAT(error_with(R"("device": "cpu", "cuda": {"staging": "pined"})"),
              HasSubstr("/cuda/staging: found \"pined\"; allowed: \"pageable\", \"pinned\", "
                        "\"pinned_ring\""));
}

TEST(ExperimentErrors, AnAllocatorWithoutSegmentsHasNoneThatGrow) {
  EXPECT_THAT(error_with(R"("cuda": {"allocator": "cuda_malloc_async",
                                     "expandable_segments": true})"),
              AllOf(HasSubstr("/cuda/expandable_segments: found true"),
                    HasSubstr("/cuda/allocator \"native\"")));
}

TEST(ExperimentErrors, BuffersAreAtLeastTwo) {
  EXPECT_THAT(error_with(R"("cuda": {"buffers": 1})"), HasSubstr("/cuda/buffers: found 1"));
  EXPECT_THAT(error_with(R"("cuda": {"buffers": 1025})"), HasSubstr("/cuda/buffers: found 1025"));
}

TEST(ExperimentErrors, ASweepIsNotAnExperiment) {
  EXPECT_THAT(error_of(R"({"base": {"experiment": "train"}})"), HasSubstr("runahead sweep"));
}

TEST(ExperimentErrors, FilesAreNamed) {
  const test::TemporaryFolder folder;
  const auto load = [](const std::filesystem::path& path, const std::vector<std::string>& sets) {
    return test::error_message<ConfigError>(
        [&] { static_cast<void>(load_experiment(path, sets)); });
  };
  const auto path = test::write_text(folder.path() / "good.json", R"({"experiment": "train"})");

  EXPECT_THAT(load(folder.path() / "absent.json", {}),
              HasSubstr((folder.path() / "absent.json").string() + ": no such file"));
  EXPECT_THAT(load(folder.path(), {}), HasSubstr("is a folder"));
  EXPECT_THAT(
      load(test::write_text(folder.path() / "cut.json", "{\"experiment\": \"train\",\n  \"seed\""),
           {}),
      AllOf(HasSubstr("cut.json, line 2, column 9"), HasSubstr("not valid JSON")));
  EXPECT_THAT(load(path, {"/data/batch_size=0"}),
              AllOf(HasSubstr("good.json --set /data/batch_size=0: /data/batch_size: found 0")));
}

}  // namespace
}  // namespace runahead::config
