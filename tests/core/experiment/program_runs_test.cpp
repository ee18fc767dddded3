// Whole runs of the tutorials' short programs, small, in this process: what their records hold.
// What they claim is a matter of measurement, not of these tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "core/config/experiment_kinds.h"
#include "core/device/device.h"
#include "core/experiment/experiment_run.h"
#include "core/train/acpu_hold.h"
#include "data/normal.h"
#include "models/mlp.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using record::Record;
using record::Status;
using ::testing::HasSubstr;

ExperimentConfig small_config(const std::string& kind, const std::string& device) {
  ExperimentConfig config;
  config.experiment = kind;
  config.device = device;
  config.batches = 4;
  config.model.layers = {8, 1};
  config.data = {.features = 4, .batch_size = 16};
  config.sync = {"none"};
  config.log_every = 2;
  config.threads.pin = false;
  config.program = {.size = 16,
                    .queue = {.operations = 5, .size = 8},
                    .products = 2,
                    .operations = {10, 20},
                    .fitted_operations = {5, 15},
                    .elements = {2, 64},
                    .increments = 10,
                    .branches = 3,
                    .branch_operations = 2,
                    .schedules = 3,
                    .print_every = 3,
                    .hold_seconds = 0.05,
                    .launches = 5,
                    .delay_percent = {0, 100},
                    .repeats = 2};
  return config;
}

/// @param printed  Set to what the run has printed.
Record run(const ExperimentConfig& config, std::stop_token stop = {},
           std::string* printed = nullptr) {
  Factories factories;
  factories.models["mlp"] = [](const ExperimentConfig& asked) {
    return std::make_unique<models::Mlp>(asked.model, asked.data.features, asked.seed);
  };
  factories.sources["normal"] = data::make_normal_source;
  factories.device_hold = [](torch::Device) { return std::make_unique<train::AcpuHold>(); };
  std::ostringstream sink;
  ExperimentRun run(config, factories, {.sink = &sink});
  run.execute(std::move(stop));
  if (printed != nullptr) *printed = sink.str();
  return run.finish();
}

/// The keys of `results.<kind>` that the kind documents: "a, b[].c" are a and b, "*.d" is within.
/// @param all  Also those that may be absent.
std::set<std::string> documented_keys(const std::string& kind, bool all) {
  std::set<std::string> keys;
  for (const config::ResultKey& key : config::kind_of(kind).results) {
    if (!all && key.doc.find("absent if") != std::string::npos) continue;
    std::istringstream names(key.name);
    for (std::string name; std::getline(names >> std::ws, name, ',');) {
      if (!key.name.starts_with('*')) keys.insert(name.substr(0, name.find_first_of(".[")));
    }
  }
  return keys;
}

class ProgramRuns : public ::testing::TestWithParam<std::string> {
 protected:
  // Before the first backward of the process, whichever device runs it.
  static void SetUpTestSuite() { register_device(); }

  [[nodiscard]] bool sees_operations() const { return GetParam() == "acpu"; }

  [[nodiscard]] Json results_of(const ExperimentConfig& config) const {
    const Record record = run(config);
    EXPECT_EQ(record.status, Status::kOk) << record.error.value_or("");
    return record.results.value(config.experiment, Json());
  }
  [[nodiscard]] Json results_of(const std::string& kind) const {
    return results_of(small_config(kind, GetParam()));
  }
};

TEST_P(ProgramRuns, TheRecordHasTheDocumentedResults) {
  for (const config::ExperimentKind& kind : config::experiment_kinds()) {
    if (kind.name == "launch_queue" && GetParam() == "cpu") continue;  // Nothing is queued there.
    if (kind.runs_command) continue;                                   // Not by this library.
    SCOPED_TRACE(kind.name);
    const Json results = results_of(kind.name);
    std::set<std::string> keys;
    for (const auto& [key, value] : results.items()) keys.insert(key);

    EXPECT_THAT(documented_keys(kind.name, true), ::testing::IsSupersetOf(keys));
    EXPECT_THAT(keys, ::testing::IsSupersetOf(documented_keys(kind.name, false)));
  }
}

TEST_P(ProgramRuns, TheGraphIsThatOfTheChapter) {
  const Json results = results_of("graph");

  EXPECT_EQ(results["z"], Json({3.0, 3.0}));
  EXPECT_EQ(results["z_as_expected"], true);
  EXPECT_EQ(results["wide_seconds"]["count"], 3) << "a figure a schedule";
  if (!sees_operations()) {
    EXPECT_EQ(results["text"], Json(nullptr)) << "no engine reports it";
    EXPECT_EQ(results["order_kept"], Json(nullptr));
    return;
  }
  EXPECT_EQ(results["operations"], 4) << results["text"];
  EXPECT_EQ(results["dependencies"], 3) << results["text"];
  EXPECT_EQ(results["order_kept"], true);
  EXPECT_THAT(results["text"].get<std::string>(), HasSubstr("after 1, 2"));
  EXPECT_THAT(results["dot"].get<std::string>(), HasSubstr("n1 -> n3"));
  EXPECT_GE(results["orders"], 1);
}

TEST_P(ProgramRuns, ASlowerFrontEndTakesLongerToIssue) {
  ExperimentConfig config = small_config("increment", GetParam());
  config.program.seconds_per_increment = 0.001;
  config.program.operations = {4};
  config.program.fitted_operations = {2, 5};
  config.program.repeats = 1;

  EXPECT_GE(results_of(config)["independent"]["t1_seconds"], 0.001);
  config.experiment = "exercise";
  EXPECT_GE(results_of(config)["sizes"][0]["t1_seconds"], 0.001);
}

TEST_P(ProgramRuns, PredictionsAreKeptOrDropped) {
  ExperimentConfig config = small_config("predict", GetParam());
  const Record dropped = run(config);
  config.program.outputs = config::Outputs::kKept;
  const Record kept = run(config);

  EXPECT_EQ(dropped.results["predict"]["output_bytes"], 16 * 4);
  EXPECT_EQ(dropped.results["predict"]["kept_bytes"], 0);
  EXPECT_EQ(kept.results["predict"]["kept_bytes"], 4 * 16 * 4) << "the warm-up's are let go";
  EXPECT_EQ(kept.results["batches_finished"], 4);
  EXPECT_EQ(kept.time.batch_finished_seconds.value().size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(Devices, ProgramRuns, ::testing::Values("cpu", "acpu"));

}  // namespace
}  // namespace runahead::experiment
