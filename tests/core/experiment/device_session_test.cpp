// What a run asks of its device, beside the loop.
#include "core/experiment/device_session.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/device/device.h"

namespace runahead::experiment {
namespace {

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
