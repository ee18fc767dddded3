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

/// A train config with one more key.
std::string with(const std::string& keys) { return R"({"experiment": "train", )" + keys + "}"; }

std::string error_with(const std::string& keys) { return error_of(with(keys)); }

struct ErrorCase {
  std::string config{};
  std::vector<std::string> said{};  ///< By the error.
};

TEST(ExperimentErrors, SayWhereWhatAndWhatIsAllowed) {
  const std::vector<ErrorCase> cases{
      {with(R"("data": {"batchsize": 4})"),
       {"test.json: /data/batchsize: unknown key",
        "did you mean \"batch_size\"? allowed: ", "\"features\""}},
      {with(R"("devise": "cpu")"), {"allowed: \"experiment\", \"device\", \"seed\""}},
      {with(R"("acpu": {"limit": {"operation": 4, "bytes": 9}})"),
       {"/acpu/limit/operation: unknown key; did you mean \"operations\"? "}},
      {with(R"("devise": "cpu", "batches": 0, "data": {"features": "many"})"),
       {"/devise", "/batches", "/data/features"}},
      {with(R"("batches": "7")"), {"/batches: found \"7\"; allowed: an integer from 1 to 1000000"}},
      {with(R"("batches": 1.5)"), {"/batches: found 1.5; allowed: an int"}},
      {with(R"("batches": null)"), {"/batches: found null; allowed"}},
      {with(R"("threads": {"pin": 1})"), {"/threads/pin: found 1; allowed: true or false"}},
      {with(R"("data": [])"), {"/data: found an array; allowed: an object"}},
      {with(R"("model": {"layers": 5})"), {"/model/layers: found 5"}},
      {with(R"("model": {"layers": [5, "x"]})"), {"/model/layers/1"}},
      {with(R"("optimizer": {"learning_rate": "fast"})"),
       {"/optimizer/learning_rate: found \"fast\"; allowed: a number from 0"}},
      {"[1]", {"test.json: found an array; allowed: an object"}},
      {"3", {"test.json: found 3; allowed: an object"}},
      {with(R"("data": {"batch_size": 0})"),
       {"/data/batch_size: found 0; allowed: an integer from 1 to 16777216"}},
      {with(R"("data": {"batch_size": -3})"), {"found -3; allowed"}},
      {with(R"("data": {"features": 1000000000000})"),
       {"/data/features: found 1000000000000; allowed: an integer from 1 to"}},
      {with(R"("data": {"features": 99999999999999999999999})"), {"/data/features"}},
      {with(R"("seed": -1)"), {"/seed: found -1"}},
      {with(R"("seed": 18446744073709551616)"), {"/seed: found"}},
      {with(R"("model": {"layers": []})"),
       {"/model/layers: found an empty array; allowed: an array of 1 to 256"}},
      {with(R"("monitor": {"rate_hz": -1})"), {"/monitor/rate_hz"}},
      {with(R"("monitor": {"rate_hz": 20000})"), {"/monitor/rate_hz"}},
      {with(R"("monitor": {"rate_hz": 0.0001})"), {"0.001 to 10000"}},
      {with(R"("sync": {"policy": "budget", "bytes": "1.5 gigs"})"),
       {"/sync/bytes: found \"1.5 gigs\"", "\"1.5GiB\""}},
      {with(R"("sync": {"policy": "budget", "bytes": 0})"), {"/sync/bytes"}},
      {with(R"("data": {"seconds_per_batch": "2 weeks"})"),
       {"/data/seconds_per_batch: found \"2 weeks\"", "\"5min\""}},
      {with(R"("data": {"features": 16777216, "batch_size": 16777216})"),
       {"/data/features: found a batch of 16777216 x 16777216",
        "make one of the two sizes smaller"}},
      {with(R"("model": {"layers": [16777216, 16777216, 1]})"),
       {"/model/layers/1: found a layer's weights of 16777216 x 16777216"}},
      {with(R"("sync": {"policy": "every_bach"})"),
       {"/sync/policy: found \"every_bach\"; did you mean \"every_batch\"? allowed: \"none\""}},
      {with(R"("device": "gpu")"),
       {"/device: found \"gpu\"; allowed: \"cpu\", \"acpu\", \"cuda\" or"}},
      {with(R"("device": "cuda:x")"), {"/device: found \"cuda:x\""}},
      {with(R"("sync": {"policy": "none", "wait": "all"})"),
       {"/sync/wait: this key belongs to policy \"every_batch\" or \"every_n\", but /sync/policy "
        "is "
        "\"none\", which has no keys of its own"}},
      {with(R"("sync": {"n": 3})"),
       {"/sync/n: this key belongs to policy \"every_n\", but /sync/policy is \"every_batch\"; "
        "allowed with it: \"wait\""}},
      {with(R"("sync": {"policy": "window", "n": 3})"), {"/sync/n"}},
      {"{}",
       {"/experiment: found nothing; this key is required; "
        "allowed: \"dispatch\", \"matmul_loop\""}},
      {R"({"experiment": "trian"})",
       {"/experiment: found \"trian\"; did you mean \"train\"? allowed: \"dispatch\", "}},
      {R"({"experiment": "matmul_loop", "sync": {"policy": "none"}})",
       {"/sync: this key belongs to experiment \"train\", \"predict\" or \"front_end\", but "
        "/experiment is "
        "\"matmul_loop\"; allowed with it: "}},
      {with(R"("products": 3)"),
       {"/products: this key belongs to experiment \"matmul_loop\", but /experiment is \"train\"; "
        "allowed with it: "}},
      {R"({"experiment": "dispatch", "sise": 3})", {"/sise: unknown key; did you mean \"size\"? "}},
      {R"({"experiment": "front_end", "model": {"layers": [8, 2]}})",
       {"/data/targets/width: found 1"}},
      {R"({"experiment": "increment", "fitted_operations": [5, 5]})",
       {"/fitted_operations: found 5 alone; allowed: two different numbers"}},
      {R"({"experiment": "exercise", "fitted_operations": [5]})",
       {"/fitted_operations: found an array of 1; allowed: an array of 2"}},
      {R"({"experiment": "launch_queue", "hold_seconds": 0})", {"/hold_seconds: found 0"}},
      {R"({"experiment": "launch_queue", "hold_seconds": "2min"})", {"/hold_seconds: found"}},
      {R"({"experiment": "increment", "shape": [16777216, 16777216]})",
       {"/shape: found a tensor of more than 1.10 TB"}},
      {with(R"("sync": {"policy": "budget", "bytes": 1000},
"acpu": {"limit": {"bytes": 2000}})"),
       {"/acpu/limit/bytes: found 2000", "/sync/bytes, 1000"}},
      {with(R"("acpu": {"limit": {}})"), {"/acpu/limit: found no bound"}},
      {with(R"("acpu": {"limit": {"operations": 0}})"), {"operations"}},
      {with(R"("acpu": {"limit": {"seconds": 0}})"), {"above 0"}},
      {with(R"("acpu": {"limit": "of"})"),
       {"/acpu/limit: found \"of\"; allowed: \"guard\", \"off\", or an object of "
        "\"operations\", \"bytes\", \"seconds\""}},
      {with(R"("model": {"layers": [8, 2]})"),
       {"/data/targets/width: found 1; allowed: 2, the width of the last of"}},
      {with(R"("loss": "cross_entropy")"),
       {"/data/targets/value: found 1; allowed: with the loss cross_entropy"}},
      {with(R"("loss": "cross_entropy", "model": {"layers": [8, 4]},
"data": {"targets": {"width": 4}})"),
       {"/data/targets/width: found 4; allowed: 1 with the loss cross_entropy"}},
      {with(R"("optimizer": {"kind": "adam", "momentum": 0.9})"),
       {"/optimizer/momentum: found 0.9; allowed: 0 with adam"}},
      {with(R"("device": "cpu", "cuda": {"staging": "pined"})"),
       {"/cuda/staging: found \"pined\"; did you mean \"pinned\"? allowed: \"pageable\", "
        "\"pinned\", "
        "\"pinned_ring\""}},
      {with(R"("cuda": {"allocator": "cuda_malloc_async",
"expandable_segments": true})"),
       {"/cuda/expandable_segments: found true", "/cuda/allocator \"native\""}},
      {with(R"("cuda": {"buffers": 1})"), {"/cuda/buffers: found 1"}},
      {with(R"("cuda": {"buffers": 1025})"), {"/cuda/buffers: found 1025"}},
      {R"({"base": {"experiment": "train"}})", {"runahead sweep"}},
  };
  for (const ErrorCase& wrong : cases) {
    const std::string error = error_of(wrong.config);
    for (const std::string& text : wrong.said) {
      EXPECT_THAT(error, HasSubstr(text)) << wrong.config;
    }
  }
}

TEST(ExperimentErrors, AreNoneOfLargeTensorsThatFitNorOfTargetsWithoutTraining) {
  for (const std::string& text :
       {with(R"("data": {"features": 16777216, "batch_size": 16}, "model": {"layers": [1]})"),
        std::string(R"({"experiment": "data_iter", "data": {"targets": {"width": 2}}})"),
        std::string(R"({"experiment": "predict", "model": {"layers": [8, 2]}})")}) {
    EXPECT_NO_THROW(static_cast<void>(read_experiment(parse_json(text, "t"), "t"))) << text;
  }
}

TEST(ExperimentErrors, ChoicesNameTheNearest) {
  EXPECT_THAT(error_with(R"("model": {"activation": 3})"),
              AllOf(HasSubstr("/model/activation: found 3; allowed: \"relu\""),
                    Not(HasSubstr("did you mean"))));
}

TEST(ExperimentErrors, AWrongPolicyIsTheOnlyErrorOfItsSection) {
  EXPECT_THAT(error_with(R"("sync": {"policy": "windows", "batches": 3})"),
              Not(HasSubstr("/sync/batches")));
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
