// What runs are made of besides models and sources: the way batches take to the device, and
// observers of the loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/experiment/small_run.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using ::testing::Each;
using train::LoopPhase;

/// As the staging of pageable memory, counted.
class CountedStaging final : public train::Staging {
 public:
  CountedStaging(torch::Device device, int& batches) : staging_(device), batches_(batches) {}
  train::Batch to_device(const train::Batch& host) override {
    ++batches_;
    return staging_.to_device(host);
  }

 private:
  train::PageableStaging staging_;
  int& batches_;
};

class WrittenPhases final : public train::LoopObserver {
 public:
  explicit WrittenPhases(std::vector<LoopPhase>& phases) : phases_(phases) {}
  void on_phase(LoopPhase phase, TimePoint) override { phases_.push_back(phase); }

 private:
  std::vector<LoopPhase>& phases_;
};

class InjectedPartsTest : public SmallRunOnEach {
 protected:
  InjectedPartsTest() {
    config_.warmup_batches = 1;
    config_.program.print_every = 2;
    config_.program.delay_percent = {0};
    config_.program.repeats = 1;
    config_.program.warmup_repeats = 0;
  }
};

TEST_P(InjectedPartsTest, EveryKindWithBatchesTakesThemTheWayThatTheFactoryMakes) {
  int staged = 0;
  std::vector<std::string> devices;
  factories_.staging = [&](const ExperimentConfig& config, torch::Device device) {
    devices.push_back(config.device);
    return std::make_unique<CountedStaging>(device, staged);
  };
  for (const auto& [kind, least] : {std::pair("train", 7), std::pair("predict", 7),
                                    std::pair("data_iter", 12), std::pair("front_end", 6)}) {
    SCOPED_TRACE(kind);
    config_.experiment = kind;
    staged = 0;
    run_well();
    EXPECT_GE(staged, least);
  }
  EXPECT_THAT(devices, Each(GetParam()));
}

TEST_P(InjectedPartsTest, LoopRangesAreToldOfEachPhaseWithATraceOrWithout) {
  std::vector<LoopPhase> phases;
  factories_.loop_ranges = [&] { return std::make_unique<WrittenPhases>(phases); };
  for (const auto& [kind, phases_each] : {std::pair("train", 6U), std::pair("predict", 5U)}) {
    for (const bool trace : {false, true}) {
      SCOPED_TRACE(kind);
      config_.experiment = kind;
      phases.clear();
      EXPECT_EQ(run_well(trace).results.contains("trace"), trace);
      EXPECT_EQ(phases.size(), 7U * phases_each) << "of the warm-up's batch and the six";
      EXPECT_EQ(phases.back(), LoopPhase::kBatchEnd);
    }
  }
}

RUNAHEAD_RUN_ON_EACH_DEVICE(InjectedPartsTest);

}  // namespace
}  // namespace runahead::experiment
