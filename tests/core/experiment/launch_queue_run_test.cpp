// Whole runs of `launch_queue` on devices that are there without a GPU. What is asserted holds
// unless the front end is stopped for most of a hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/experiment/small_run.h"
#include "core/train/acpu_hold.h"

namespace runahead::experiment {
namespace {

using config::LimitConfig;
using ::testing::HasSubstr;

class LaunchQueueRun : public ::testing::Test, protected SmallRun {
 protected:
  LaunchQueueRun() {
    config_.experiment = "launch_queue";
    config_.acpu.limit.kind = LimitConfig::Kind::kOff;
    config_.program.hold_seconds = 0.5;
    config_.program.launches = 50;
    config_.program.repeats = 1;
    config_.program.warmup_repeats = 0;
    factories_.device_hold = [](torch::Device) { return std::make_unique<train::AcpuHold>(); };
  }

  Json results() { return run_well().results.value("launch_queue", Json()); }
};

TEST_F(LaunchQueueRun, TheDepthOnAcpuIsWhatTheRunAheadLimitAllows) {
  config_.acpu.limit = {.kind = LimitConfig::Kind::kExplicit, .operations = 8};

  const Json found = results();

  EXPECT_EQ(found["depth"]["median"], 7.0) << "the hold is one operation in flight";
  EXPECT_EQ(found["launches"]["median"], 7.0);
  EXPECT_GE(found["blocked_seconds"]["median"], 0.05);
  EXPECT_GE(found["kept_bytes"]["median"], 7.0 * 8.0) << "two floats each";
  EXPECT_EQ(found["depth_unknown_because"], Json(nullptr));
}

TEST_F(LaunchQueueRun, EveryWorkerIsHeld) {
  config_.acpu.workers = 3;
  config_.acpu.limit = {.kind = LimitConfig::Kind::kExplicit, .operations = 8};

  EXPECT_EQ(results()["depth"]["median"], 5.0);
}

TEST_F(LaunchQueueRun, WithoutALimitNothingBlocks) {
  config_.program.outputs = config::Outputs::kKept;

  const Json found = results();

  EXPECT_EQ(found["depth"], Json(nullptr));
  EXPECT_EQ(found["blocked_seconds"], Json(nullptr));
  EXPECT_EQ(found["launches"]["median"], 50.0);
  EXPECT_GE(found["kept_bytes"]["median"], 50.0 * 8.0);
  EXPECT_THAT(found["depth_unknown_because"].get<std::string>(), HasSubstr("none of 50"));
}

}  // namespace
}  // namespace runahead::experiment
