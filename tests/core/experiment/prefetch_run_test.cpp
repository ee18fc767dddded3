// Whole runs of a small MLP whose batches are prepared ahead.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "core/experiment/small_run.h"

namespace runahead::experiment {
namespace {

using config::DataMade;
using config::ExperimentConfig;
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

TEST_F(PrefetchRunTest, LossesAreThoseWithoutIt) {
  config_.monitor.rate_hz = 0.0;  // Most of what a run this small would take.
  // On acpu each way to make data has each number of batches ahead, on cpu one of its own. What
  // acpu computes is what cpu does.
  constexpr std::array kAhead{1, 3, 100};
  constexpr std::array kMade{DataMade::kOnHost, DataMade::kOnDevice, DataMade::kBeforehand};
  for (std::size_t made = 0; made < kMade.size(); ++made) {
    config_.data.made = kMade[made];
    config_.device = "cpu";
    config_.data.prefetch = 0;
    const auto expected = losses();

    config_.data.prefetch = kAhead[made];
    EXPECT_EQ(losses(), expected) << "cpu, " << kAhead[made] << " ahead";
    config_.device = "acpu";
    for (const std::int64_t ahead : kAhead) {
      config_.data.prefetch = ahead;
      EXPECT_EQ(losses(), expected) << "acpu, " << ahead << " ahead";
    }
  }
}

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

TEST_F(PrefetchRunTest, EndsWhateverTheBudgetAndThePolicy) {
  config_.data.prefetch = 4;
  config_.acpu.limit = {.kind = config::LimitConfig::Kind::kExplicit, .bytes = 1};
  for (const auto policy : {"none", "every_batch", "window"}) {
    config_.sync = {policy};
    EXPECT_EQ(run().status, Status::kOk);
  }
  config_.sync = {"adaptive", {{"ceiling", 1}}};
  EXPECT_EQ(run().status, Status::kOk);
}

TEST_F(PrefetchRunTest, CostsAreOfTheLoopsOwnWaits) {
  config_.batches = 30;
  config_.data.prefetch = 2;
  config_.acpu.limit = {.kind = config::LimitConfig::Kind::kExplicit, .operations = 1};

  const Record record = run();

  EXPECT_GE(record.time.t1_seconds.value(), 0.0);
  EXPECT_LE(record.time.t1_seconds.value(), record.time.total_seconds.value());
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

}  // namespace
}  // namespace runahead::experiment
