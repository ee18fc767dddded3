#include "core/config/experiment_config.h"

#include <gtest/gtest.h>

#include "core/config/experiment_kinds.h"

namespace runahead::config {
namespace {

ExperimentConfig read(const std::string& text) {
  return read_experiment(parse_json(text, "test.json"), "test.json");
}

/// A train config with one more key.
ExperimentConfig read_with(const std::string& keys) {
  return read(R"({"experiment": "train", )" + keys + "}");
}

// The default of every key, written out.
constexpr const char* kContractExample = R"({
  "experiment": "train",
  "device": "acpu",
  "seed": 0,
  "batches": 100, "warmup_batches": 1,
  "model": {"kind": "mlp", "layers": [2048, 512, 1], "activation": "relu", "init": "torch",
            "normalization": "none", "dropout": 0.0},
  "data": {"kind": "normal", "features": 512, "targets": {"value": 1.0, "width": 1},
           "batch_size": 1024, "made": "on_host", "prefetch": 0, "seconds_per_batch": 0.0},
  "optimizer": {"kind": "sgd", "learning_rate": 0.005, "momentum": 0.0, "weight_decay": 0.0, "fused": false},
  "loss": "l2",
  "sync": {"policy": "every_batch", "wait": "loss_value"},
  "log_every": 0,
  "evaluation": "off",
  "checkpoint": "off",
  "acpu": {"workers": 1, "ready_order": "oldest_first", "allocation": "at_execution", "allocator": "",
           "capacity": null, "products": "libtorch", "freed_memory": "returned", "limit": "guard"},
  "cuda": {"staging": "pageable", "copies": "in_order", "buffers": 4, "allocator": "native",
           "expandable_segments": false},
  "threads": {"intra_op": 1, "pin": true},
  "monitor": {"rate_hz": 1000.0}
})";

TEST(ExperimentConfig, DefaultsAreThoseOfTheContractInItsOrder) {
  EXPECT_EQ(to_json(read(R"({"experiment": "train"})")).dump(),
            parse_json(kContractExample, "contract").dump());
}

TEST(ExperimentConfig, ReadsBackWhatItWrites) {
  for (const Json& example :
       read_json_file(RUNAHEAD_SOURCE_FOLDER "/tests/data/example_configs.json")) {
    const Json resolved = to_json(read_experiment(example, "example"));
    EXPECT_EQ(to_json(read_experiment(resolved, "resolved")).dump(), resolved.dump());
  }
}

TEST(ExperimentConfig, BudgetBecomesTheLimitOfAcpuUnlessItIsOfAnotherDevice) {
  const char* const limits[] = {R"("guard")", R"("off")", R"({"bytes": 1000})"};
  for (const char* limit : limits) {
    const ExperimentConfig config =
        read_with(R"("sync": {"policy": "budget", "bytes": 1000}, "acpu": {"limit": )" +
                  std::string(limit) + "}");
    EXPECT_EQ(config.acpu.limit.kind, LimitConfig::Kind::kExplicit) << limit;
    EXPECT_EQ(config.acpu.limit.bytes, 1000u) << limit;
  }
  EXPECT_EQ(read_with(R"("device": "cuda", "sync": {"policy": "budget", "bytes": 1000},
                         "acpu": {"limit": {"bytes": 2000}})")
                .acpu.limit.bytes,
            2000U);
}

// A changed id separates new records from those of the same experiment: change it knowingly.
TEST(ExperimentConfig, IdOfTheDefaultConfigStays) {
  EXPECT_EQ(config_id(read(R"({"experiment": "train"})")),
            "80e3e69f8401cf8b97ed1a59bbe3e9c518f926340a23f03a9fc48488d21890b6");
}

/// `document` without the member that `pointer` names.
Json without(const Json& document, const Json::json_pointer& pointer) {
  Json rest = document;
  rest.at(pointer.parent_pointer()).erase(pointer.back());
  return rest;
}

/// The keys that a kind requires.
Json least_config(const ExperimentKind& kind) {
  Json document{{"experiment", kind.name}};
  if (kind.runs_command) document["command"] = {"true"};
  return document;
}

TEST(ExperimentConfig, AKeyAtItsDefaultLeavesTheIdAsAVersionWithoutTheKeyHasIt) {
  for (const ExperimentKind& kind : experiment_kinds()) {
    const Json document = least_config(kind);
    const std::string id = config_id(read_experiment(document, "test"));
    const Json resolved = to_json(read_experiment(document, "test"));
    const Json flat = resolved.flatten();
    for (const auto& [text, value] : flat.items()) {
      const Json::json_pointer pointer(text);
      if (text == "/experiment" || !resolved.at(pointer.parent_pointer()).is_object()) continue;
      EXPECT_EQ(config_id(read_experiment(without(resolved, pointer), "test")), id) << text;
    }
  }
}

TEST(ExperimentConfig, AnotherValueChangesTheId) {
  const std::string id = config_id(read(R"({"experiment": "train"})"));
  for (const char* keys :
       {R"("seed": 1)", R"("log_every": 1)", R"("cuda": {"copies": "side_reuse"})",
        R"("cuda": {"buffers": 5})", R"("acpu": {"limit": "off"})",
        R"("acpu": {"limit": {"bytes": 1}})", R"("acpu": {"limit": {"operations": 1}})",
        R"("sync": {"wait": "all"})", R"("sync": {"policy": "none"})",
        R"("sync": {"policy": "window"})", R"("model": {"layers": [1]})",
        R"("model": {"dropout": 0.5})", R"("model": {"kind": "torchscript", "path": "a.pt"})",
        R"("model": {"kind": "torchscript", "path": "b.pt"})",
        R"("data": {"kind": "files", "inputs": {"path": "x"}, "targets": {"path": "y"}})"}) {
    EXPECT_NE(config_id(read_with(keys)), id) << keys;
  }
  EXPECT_NE(config_id(read(R"({"experiment": "predict"})")), id);
}

TEST(ExperimentConfig, IdDependsOnMeaningAlone) {
  const std::string id = config_id(read(R"({"experiment": "train"})"));

  EXPECT_EQ(config_id(read(R"({"batches": 1.0e2, "experiment": "train"})")), id);
  EXPECT_EQ(config_id(read_with(R"("monitor": {"rate_hz": 1000})")), id);
  EXPECT_EQ(config_id(read_with(R"("data": {"seconds_per_batch": -0.0})")), id);
}

}  // namespace
}  // namespace runahead::config
