#include <gmock/gmock.h>

#include <atomic>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/config/experiment_kinds.h"
#include "core/device/device.h"
#include "core/experiment/small_run.h"

namespace runahead::experiment {
namespace {

// What runs are made of besides models and sources: the way batches take to the device, and
// observers of the loop.

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

// Whole runs of a small MLP whose batches are prepared ahead.

using record::Record;
using record::Status;

/// Another source's batches. It counts those that a thread besides its maker's has made.
class ThreadCountingSource final : public train::BatchSource {
 public:
  ThreadCountingSource(std::unique_ptr<train::BatchSource> source, std::atomic<int>& made_elsewhere)
      : source_(std::move(source)), made_elsewhere_(made_elsewhere) {}
  train::Batch next() override {
    if (std::this_thread::get_id() != maker_) ++made_elsewhere_;
    return source_->next();
  }

 private:
  std::unique_ptr<train::BatchSource> source_;
  std::atomic<int>& made_elsewhere_;
  std::thread::id maker_ = std::this_thread::get_id();
};

class PrefetchRunTest : public ::testing::Test, protected SmallRun {
 protected:
  PrefetchRunTest() {
    config_.batches = 10;
    config_.model.layers = {16, 1};
    config_.data = {.features = 8, .batch_size = 32};
  }
};

TEST_F(PrefetchRunTest, BothKindsThatHaveItPrepareTheirMeasuredBatchesOnAnotherThread) {
  std::atomic<int> made_elsewhere = 0;
  factories_.sources["normal"] = [&](const ExperimentConfig& config, torch::Device device,
                                     std::unique_ptr<train::Staging> staging) {
    return std::make_unique<ThreadCountingSource>(
        data::make_normal_source(config, device, std::move(staging)), made_elsewhere);
  };
  for (const char* kind : {"train", "predict"}) {
    config_.experiment = kind;
    for (const std::int64_t ahead : {0, 3}) {
      made_elsewhere = 0;
      config_.data.prefetch = ahead;
      EXPECT_EQ(run().status, Status::kOk) << kind;
      EXPECT_EQ(made_elsewhere, ahead == 0 ? 0 : config_.batches) << kind;
    }
  }
}

/// Fails at the batch of that number.
class FailingSource final : public train::BatchSource {
 public:
  FailingSource(std::unique_ptr<train::BatchSource> source, int batch)
      : source_(std::move(source)), batch_(batch) {}
  train::Batch next() override {
    if (asked_++ == batch_) throw std::runtime_error("the disk is gone");
    return source_->next();
  }

 private:
  std::unique_ptr<train::BatchSource> source_;
  int batch_;
  int asked_ = 0;
};

TEST_F(PrefetchRunTest, SourceThatFailsIsNamedAfterTheBatchesBefore) {
  factories_.sources["normal"] = [](const ExperimentConfig& config, torch::Device device,
                                    std::unique_ptr<train::Staging> staging) {
    return std::make_unique<FailingSource>(
        data::make_normal_source(config, device, std::move(staging)), 4);
  };
  config_.data.prefetch = 3;

  const Record record = run();

  EXPECT_EQ(record.status, Status::kFailed);
  EXPECT_EQ(record.error, "the disk is gone");
  // One of the four batches before it was the warm-up's.
  EXPECT_EQ(record.results.at("batches_issued"), 3);
}

// Whole runs of the tutorials' short programs, small, in this process: what their records hold.
// What they claim is a matter of measurement, not of these tests.

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

class ProgramRuns : public SmallRunOnEach {
 protected:
  ProgramRuns() {
    config_.batches = 4;
    config_.log_every = 2;
    config_.program = {.size = 16,
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
    factories_.device_hold = [](torch::Device) { return device::hold_workers; };
  }
};

TEST_P(ProgramRuns, TheRecordHasTheDocumentedResults) {
  for (const config::ExperimentKind& kind : config::experiment_kinds()) {
    if (kind.name == "launch_queue" && GetParam() == "cpu") continue;  // Nothing is queued there.
    if (kind.runs_command) continue;                                   // Not by this library.
    SCOPED_TRACE(kind.name);
    config_.experiment = kind.name;
    const Json results = run_well().results.value(kind.name, Json());
    std::set<std::string> keys;
    for (const auto& [key, value] : results.items()) keys.insert(key);

    EXPECT_THAT(documented_keys(kind.name, true), ::testing::IsSupersetOf(keys));
    EXPECT_THAT(keys, ::testing::IsSupersetOf(documented_keys(kind.name, false)));
  }
}

RUNAHEAD_RUN_ON_EACH_DEVICE(ProgramRuns);

}  // namespace
}  // namespace runahead::experiment
