// Whole runs of a small MLP whose batches are prepared ahead.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "core/experiment/small_run.h"

namespace runahead::experiment {
namespace {

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

}  // namespace
}  // namespace runahead::experiment
