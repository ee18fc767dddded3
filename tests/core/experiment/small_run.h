#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <sstream>

#include "core/device/device.h"
#include "core/experiment/experiment_run.h"
#include "data/normal.h"
#include "models/mlp.h"

namespace runahead::experiment {

/// Whole runs of a small MLP in this process. A test changes the config and the factories first.
class SmallRun {
 public:
  explicit SmallRun(const std::string& device = "acpu") {
    register_device();  // Before the first backward of the process, whichever device runs it.
    config_.device = device;
    config_.batches = 6;
    config_.model.layers = {8, 1};
    config_.data = {.features = 4, .batch_size = 16};
    config_.sync = {"none"};
    config_.threads.pin = false;
    factories_.models["mlp"] = [](const config::ExperimentConfig& config) {
      return std::make_unique<models::Mlp>(config.model, config.data.features, config.seed);
    };
    factories_.sources["normal"] = data::make_normal_source;
  }

 protected:
  /// The record, however the run ends.
  record::Record run(bool trace = false) {
    ExperimentRun run(config_, factories_, {.sink = &sink_, .trace = trace});
    run.execute();
    return run.finish();
  }
  /// The record of a run that ends well.
  record::Record run_well(bool trace = false) {
    record::Record record = run(trace);
    EXPECT_EQ(record.status, record::Status::kOk) << record.error.value_or("");
    return record;
  }
  config::ExperimentConfig config_{};
  Factories factories_{};
  std::ostringstream sink_{};
};

/// The same on the device that is the test's parameter.
class SmallRunOnEach : public ::testing::TestWithParam<std::string>, protected SmallRun {
 protected:
  SmallRunOnEach() : SmallRun(GetParam()) {}
};

#define RUNAHEAD_RUN_ON_EACH_DEVICE(suite)                                       \
  INSTANTIATE_TEST_SUITE_P(EveryDevice, suite, ::testing::Values("acpu", "cpu"), \
                           [](const auto& device) { return device.param; })

}  // namespace runahead::experiment
