// What runs are made of besides models and sources: the way batches take to the device, observers
// of the loop, and the log of losses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/experiment/experiment_run.h"
#include "data/normal.h"
#include "models/mlp.h"

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

class InjectedPartsTest : public ::testing::TestWithParam<std::string> {
 protected:
  // Before the first backward of the process, whichever device runs it.
  static void SetUpTestSuite() { register_device(); }

  InjectedPartsTest() {
    config_.device = GetParam();
    config_.batches = 6;
    config_.warmup_batches = 1;
    config_.model.layers = {8, 1};
    config_.data = {.features = 4, .batch_size = 16};
    config_.sync = {"none"};
    config_.threads.pin = false;
    config_.program.print_every = 2;
    config_.program.delay_percent = {0};
    config_.program.repeats = 1;
    config_.program.warmup_repeats = 0;
    factories_.models["mlp"] = [](const ExperimentConfig& config) {
      return std::make_unique<models::Mlp>(config.model, config.data.features, config.seed);
    };
    factories_.sources["normal"] = data::make_normal_source;
  }

  Record run(bool trace = false) {
    ExperimentRun run(config_, factories_, {.sink = &sink_, .trace = trace});
    run.execute();
    Record record = run.finish();
    EXPECT_EQ(record.status, record::Status::kOk) << record.error.value_or("");
    return record;
  }

  ExperimentConfig config_{};
  Factories factories_{};
  std::ostringstream sink_{};
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
    run();
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
      EXPECT_EQ(run(trace).results.contains("trace"), trace);
      EXPECT_EQ(phases.size(), 7U * phases_each) << "of the warm-up's batch and the six";
      EXPECT_EQ(phases.back(), LoopPhase::kBatchEnd);
    }
  }
}

TEST_P(InjectedPartsTest, ThereMayBeNoLoopRanges) {
  factories_.loop_ranges = [] { return nullptr; };
  run();
}

TEST_P(InjectedPartsTest, LossesAreLoggedEverySoManyBatchesOfThoseMeasured) {
  const auto logged_of = [](const Record& record) {
    return record.results.at("train").at("logged_losses").get<std::vector<double>>();
  };
  config_.log_every = 1;
  const Record each = run();
  config_.log_every = 4;
  const Record once = run();

  ASSERT_THAT(logged_of(each), SizeIs(6));
  EXPECT_EQ(logged_of(each).front(), each.loss.first);
  EXPECT_EQ(logged_of(each).back(), each.loss.last);
  EXPECT_THAT(logged_of(once), SizeIs(1)) << "the last two stay unread";
}

TEST_P(InjectedPartsTest, LoggingChangesNoLoss) {
  const Record plain = run();
  EXPECT_FALSE(plain.results.contains("train"));

  config_.log_every = 4;
  const Record logged = run();

  EXPECT_EQ(logged.loss.first, plain.loss.first);
  EXPECT_EQ(logged.loss.last, plain.loss.last);
}

TEST_P(InjectedPartsTest, TheEnvironmentNamesTheGpuThatItIsToldOf) {
  ExperimentRun run(config_, factories_, {.sink = &sink_, .cuda = "13.0", .gpu = "a card"});
  run.execute();
  const Record record = run.finish();

  EXPECT_EQ(record.environment.cuda, "13.0");
  EXPECT_EQ(record.environment.gpu, "a card");
}

INSTANTIATE_TEST_SUITE_P(Devices, InjectedPartsTest, ::testing::Values("cpu", "acpu"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace runahead::experiment
