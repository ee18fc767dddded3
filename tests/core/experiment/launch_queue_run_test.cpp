// Whole runs of `launch_queue` on devices that are there without a GPU. What is asserted holds
// unless the front end is stopped for most of a hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/device/device.h"
#include "core/experiment/experiment_run.h"
#include "core/train/acpu_hold.h"
#include "support/error_message.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using config::LimitConfig;
using ::testing::HasSubstr;

class LaunchQueueRun : public ::testing::Test {
 protected:
  // Before the first backward of the process, whichever test runs it.
  static void SetUpTestSuite() { register_device(); }

  LaunchQueueRun() {
    config_.experiment = "launch_queue";
    config_.device = "acpu";
    config_.acpu.limit.kind = LimitConfig::Kind::kOff;
    config_.threads.pin = false;
    config_.program.hold_seconds = 0.5;
    config_.program.launches = 50;
    config_.program.repeats = 1;
    config_.program.warmup_repeats = 0;
    factories_.device_hold = [](torch::Device) { return std::make_unique<train::AcpuHold>(); };
  }

  Json run() {
    std::ostringstream sink;
    ExperimentRun experiment(config_, factories_, {.sink = &sink});
    experiment.execute();
    const record::Record record = experiment.finish();
    EXPECT_EQ(record.status, record::Status::kOk) << record.error.value_or("");
    return record.results.value("launch_queue", Json());
  }

  ExperimentConfig config_{};
  Factories factories_{};
};

TEST_F(LaunchQueueRun, TheDepthOnAcpuIsWhatTheRunAheadLimitAllows) {
  config_.acpu.limit = {.kind = LimitConfig::Kind::kExplicit, .operations = 8};

  const Json results = run();

  EXPECT_EQ(results["depth"]["median"], 7.0) << "the hold is one operation in flight";
  EXPECT_EQ(results["launches"]["median"], 7.0);
  EXPECT_GE(results["blocked_seconds"]["median"], 0.05);
  EXPECT_GE(results["kept_bytes"]["median"], 7.0 * 8.0) << "two floats each";
  EXPECT_EQ(results["depth_unknown_because"], Json(nullptr));
}

TEST_F(LaunchQueueRun, EveryWorkerIsHeld) {
  config_.acpu.workers = 3;
  config_.acpu.limit = {.kind = LimitConfig::Kind::kExplicit, .operations = 8};

  EXPECT_EQ(run()["depth"]["median"], 5.0);
}

TEST_F(LaunchQueueRun, WithoutALimitNothingBlocks) {
  config_.program.outputs = config::Outputs::kKept;

  const Json results = run();

  EXPECT_EQ(results["depth"], Json(nullptr));
  EXPECT_EQ(results["blocked_seconds"], Json(nullptr));
  EXPECT_EQ(results["launches"]["median"], 50.0);
  EXPECT_GE(results["kept_bytes"]["median"], 50.0 * 8.0);
  EXPECT_THAT(results["depth_unknown_because"].get<std::string>(), HasSubstr("none of 50"));
}

/// Holds nothing.
class NoHold final : public train::DeviceHold {
 public:
  explicit NoHold(std::vector<double>& asked) : asked_(asked) {}
  void hold(double seconds) override { asked_.push_back(seconds); }

 private:
  std::vector<double>& asked_;
};

TEST_F(LaunchQueueRun, EachRepeatHoldsTheDeviceByWhatTheProgramGives) {
  std::vector<double> asked;
  factories_.device_hold = [&asked](torch::Device) { return std::make_unique<NoHold>(asked); };
  config_.program.hold_seconds = 60.0;
  config_.program.repeats = 2;
  config_.program.warmup_repeats = 1;

  const Json results = run();

  EXPECT_EQ(asked, std::vector<double>(3, 60.0));
  EXPECT_EQ(results["depth"], Json(nullptr));
  EXPECT_THAT(results["depth_unknown_because"].get<std::string>(), HasSubstr("no longer held"));
}

TEST_F(LaunchQueueRun, ADeviceThatQueuesNothingIsRefused) {
  config_.device = "cpu";
  EXPECT_THAT(test::error_message<UnavailableError>([this] { static_cast<void>(run()); }),
              HasSubstr("nothing is queued"));

  config_.device = "acpu";
  config_.acpu.workers = 0;
  EXPECT_THROW(static_cast<void>(run()), UnavailableError);
}

TEST_F(LaunchQueueRun, ADeviceThatNothingHoldsIsRefused) {
  factories_.device_hold = nullptr;
  EXPECT_THROW(static_cast<void>(run()), UnavailableError);

  factories_.device_hold = [](torch::Device) { return nullptr; };
  EXPECT_THROW(static_cast<void>(run()), UnavailableError);
}

}  // namespace
}  // namespace runahead::experiment
