// What runs are made of besides models and sources: the way batches take to the device, observers
// of the loop, and the log of losses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/experiment/small_run.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using record::Record;
using ::testing::Each;
using ::testing::SizeIs;
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

TEST_P(InjectedPartsTest, LossesAreLoggedEverySoManyBatchesOfThoseMeasured) {
  const auto logged_of = [](const Record& record) {
    return record.results.at("train").at("logged_losses").get<std::vector<double>>();
  };
  config_.log_every = 1;
  const Record each = run_well();
  config_.log_every = 4;
  const Record once = run_well();

  ASSERT_THAT(logged_of(each), SizeIs(6));
  EXPECT_EQ(logged_of(each).front(), each.loss.first);
  EXPECT_EQ(logged_of(each).back(), each.loss.last);
  EXPECT_THAT(logged_of(once), SizeIs(1)) << "the last two stay unread";
}

TEST_P(InjectedPartsTest, TheEnvironmentNamesTheGpuThatItIsToldOf) {
  ExperimentRun run(config_, factories_, {.sink = &sink_, .cuda = "13.0", .gpu = "a card"});
  run.execute();
  const Record record = run.finish();

  EXPECT_EQ(record.environment.cuda, "13.0");
  EXPECT_EQ(record.environment.gpu, "a card");
}

RUNAHEAD_RUN_ON_EACH_DEVICE(InjectedPartsTest);

}  // namespace
}  // namespace runahead::experiment
