// What a run asks of its device outside the loop.
#include "core/experiment/device_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include "core/device/device.h"

namespace runahead::experiment {
namespace {

/// What was asked of a device's memory.
struct MemoryCalls {
  int resets = 0;
  int trims = 0;
};

class FakeMemory final : public train::DeviceMemory {
 public:
  explicit FakeMemory(MemoryCalls& calls) : calls_(calls) {}
  void reset_peaks() override { ++calls_.resets; }
  void trim() override { ++calls_.trims; }
  [[nodiscard]] Json report() const override { return {{"used_peak_bytes", 5}}; }
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const override {
    std::vector<std::unique_ptr<memory::Probe>> probes;
    probes.push_back(std::make_unique<memory::FunctionProbe>(
        std::vector<memory::Column>{"fake_bytes"},
        [](std::span<memory::Reading> readings) { readings[0] = 5; }));
    return probes;
  }

 private:
  MemoryCalls& calls_;
};

/// A session on `cpu`, whose memory is said to be of its own.
class DeviceMemoryTest : public ::testing::Test {
 protected:
  DeviceMemoryTest() {
    config_.device = "cpu";
    factories_.device_memory = [this](torch::Device) {
      return std::make_unique<FakeMemory>(calls_);
    };
  }

  MemoryCalls calls_{};
  config::ExperimentConfig config_{};
  Factories factories_{};
};

TEST_F(DeviceMemoryTest, IsTrimmedResetReportedAndProbedWithTheOthers) {
  DeviceSession session(config_, factories_);
  EXPECT_EQ(calls_.resets + calls_.trims, 0);

  session.trim_memory();
  EXPECT_EQ(calls_.trims, 1);
  session.reset_counters();
  EXPECT_EQ(calls_.resets, 1);
  record::Record record;
  session.report(record);
  EXPECT_EQ(record.memory.cuda.at("used_peak_bytes"), 5);
  EXPECT_EQ(session.make_probes().size(), 1U);
}

TEST_F(DeviceMemoryTest, MayBeThatOfNone) {
  using Make = decltype(factories_.device_memory);
  for (const Make& make : {Make(), Make([](torch::Device) { return nullptr; })}) {
    factories_.device_memory = make;
    DeviceSession session(config_, factories_);
    session.trim_memory();
    session.reset_counters();
    record::Record record;
    session.report(record);

    EXPECT_TRUE(record.memory.cuda.is_null());
    EXPECT_TRUE(session.make_probes().empty());
  }
}

TEST(DeviceSession, WhatABudgetSaysIsInTheRecord) {
  config::ExperimentConfig config;
  config.device = "cpu";
  DeviceSession session(config);
  record::Record silent;
  session.report(silent);

  session.notice_budget("each batch waits");
  record::Record record;
  session.report(record);

  EXPECT_EQ(silent.results.at("limit_notices"), Json::array());
  EXPECT_EQ(record.results.at("limit_notices"), Json::array({"each batch waits"}));
}

TEST(DeviceSession, TrimmingReturnsWhatTheAllocatorKeepsForReuse) {
  config::ExperimentConfig config;
  config.acpu.allocation = config::Allocation::kInStreamOrder;
  DeviceSession session(config);
  session.configure(ThreadPlacement(), std::nullopt);
  torch::ones({1024}, session.device()).add_(1);
  session.back_end().synchronize();
  const device::MemoryStats kept = device::memory_stats();
  ASSERT_GT(kept.reserved_bytes, kept.live_bytes);

  session.trim_memory();

  const device::MemoryStats trimmed = device::memory_stats();
  EXPECT_EQ(trimmed.reserved_bytes, trimmed.live_bytes);
}

}  // namespace
}  // namespace runahead::experiment
