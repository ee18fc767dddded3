#include <gtest/gtest.h>

#include <cstdint>
#include <latch>
#include <sstream>

#include "core/device/device_fixture.h"
#include "core/train/back_end.h"
#include "core/train/backlog_model.h"
#include "core/train/batch_timeline.h"
#include "core/train/event_back_end.h"
#include "core/train/optimizer.h"
#include "core/train/pacer.h"
#include "core/train/staging.h"
#include "core/train/training_loop.h"
#include "core/train/wait.h"
#include "data/normal.h"
#include "models/mlp.h"

namespace runahead::train {
namespace run_ahead_test {

// What training on `acpu` keeps in flight: exact counts behind a gate, bounds without one.

using device::WorkerGate;

/// Its batches keep as many bytes as they have, as those of a staging that keeps them whole.
class KeepingSource final : public BatchSource {
 public:
  explicit KeepingSource(BatchSource& source) : source_(source) {}

  Batch next() override {
    Batch batch = source_.next();
    batch.kept_bytes = bytes_of(batch);
    return batch;
  }

 private:
  BatchSource& source_;
};

class RunAheadTest : public device::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    config_.model.layers = {16, 4};
    config_.data = {.features = 8, .targets = {.width = 4}, .batch_size = 32};
    model_ = std::make_unique<models::Mlp>(config_.model, config_.data.features, config_.seed);
    device::place(model_->module(), "acpu");
    optimizer_ = make_optimizer(config_.optimizer, model_->parameters());
    source_ = data::make_normal_source(config_, acpu_, std::make_unique<PageableStaging>(acpu_));
  }

  /// Issues `batches` under `sync` without waiting at the end.
  BatchCounts train(std::int64_t batches, const config::SyncConfig& sync) {
    const auto waiter = sync->start(make_policy_context(*back_end_, sink_));
    TrainingLoop loop(*model_, *optimizer_, make_loss(config_.loss), *source_, *waiter, observers_);
    loop.run(batches, meter_, trace_);
    return meter_.counts();
  }

  config::ExperimentConfig config_{};
  std::unique_ptr<BackEnd> back_end_ = make_back_end(acpu_);
  BatchMeter meter_{*back_end_};
  LoopTrace trace_{};
  std::vector<LoopObserver*> observers_{};
  std::ostringstream sink_{};
  std::unique_ptr<models::Mlp> model_{};
  std::unique_ptr<torch::optim::Optimizer> optimizer_{};
  std::unique_ptr<BatchSource> source_{};
};

const config::SyncConfig kNone("none");

TEST_F(RunAheadTest, MemoryIsCountedByWhatTheLoopUsesItFor) {
  config_.optimizer.momentum = 0.9;
  optimizer_ = make_optimizer(config_.optimizer, model_->parameters());
  std::uint64_t parameter_bytes = 0;
  for (const torch::Tensor& parameter : model_->parameters()) {
    parameter_bytes += parameter.nbytes();
  }
  const auto bytes_of = [](device::TensorClass tensor_class) {
    return device::memory_stats().class_bytes[static_cast<std::size_t>(tensor_class)];
  };
  const std::uint64_t gradients_before = bytes_of(device::TensorClass::kGradients);
  const std::uint64_t activations_before = bytes_of(device::TensorClass::kActivations);

  train(3, kNone);
  device::synchronize();

  EXPECT_EQ(bytes_of(device::TensorClass::kGradients) - gradients_before, parameter_bytes);
  EXPECT_EQ(bytes_of(device::TensorClass::kOptimizerState), parameter_bytes) << "its momentum";
  EXPECT_EQ(bytes_of(device::TensorClass::kInputs), 0U);
  // The first and the last loss, which the trace keeps.
  EXPECT_EQ(bytes_of(device::TensorClass::kActivations) - activations_before, 2 * sizeof(float));
}

TEST_F(RunAheadTest, HeldBytesAreThoseOfTheBatchesInFlight) {
  train(1, kNone);  // Learns the shapes: from now on nothing blocks.
  device::synchronize();
  device::reset_peaks();
  WorkerGate gate;

  for (std::uint64_t issued = 1; issued <= 5; ++issued) {
    EXPECT_EQ(train(1, kNone).in_flight, issued);
    EXPECT_EQ(device::memory_stats().held_bytes, issued * trace_.batch_bytes);
  }
  gate.open();
  device::synchronize();

  EXPECT_EQ(device::memory_stats().held_bytes, 0);
  EXPECT_EQ(device::memory_stats().held_peak_bytes, 5 * trace_.batch_bytes);
  EXPECT_EQ(meter_.counts().in_flight, 0);
  EXPECT_EQ(trace_.batch_bytes, 32 * (8 + 4) * sizeof(float));
}

TEST_F(RunAheadTest, BatchInFlightHoldsItsBytesThoughEveryReadOfThemIsOver) {
  Batch batch{torch::ones({4, 8}).to(acpu_), torch::ones({4, 1}).to(acpu_)};
  const std::uint64_t batch_bytes = batch.inputs.nbytes() + batch.targets.nbytes();
  const torch::Tensor used = batch.inputs.sum() + batch.targets.sum();
  WorkerGate gate;  // Its operation comes after the reads, and they have run when it does.

  meter_.batch_issued(std::move(batch));
  EXPECT_EQ(device::memory_stats().held_bytes, batch_bytes);
  gate.open();
  device::synchronize();

  EXPECT_EQ(device::memory_stats().held_bytes, 0);
}

TEST_F(RunAheadTest, WhatABatchClaimsIsWhatEachOneQueuedAddsToTheBacklog) {
  train(1, kNone);
  device::synchronize();
  BatchTimeline first(4, *back_end_);
  observers_ = {&first};
  WorkerGate gate;

  train(1, kNone);
  const std::uint64_t of_one = device::memory_stats().claimed_bytes;
  train(3, kNone);
  const std::uint64_t of_four = device::memory_stats().claimed_bytes;
  gate.open();
  device::synchronize();

  const BatchBytes bytes = fit_batch_bytes(first.finished(), true).value();
  EXPECT_EQ(bytes.queued, (of_four - of_one) / 3);
  EXPECT_GT(bytes.after_result, trace_.batch_bytes);
  EXPECT_LT(bytes.after_result, bytes.queued);
}

TEST_F(RunAheadTest, BudgetByEventsIsReachedWithoutAWaitAndNeverExceeded) {
  train(1, kNone);  // Learns the shapes: from now on nothing blocks.
  device::synchronize();
  EventBackEnd events(acpu_);
  BatchMeter meter(events);
  const config::SyncConfig budget("budget", {{"bytes", 3 * trace_.batch_bytes}});
  const auto waiter = budget->start(make_policy_context(events, sink_));
  KeepingSource source(*source_);
  TrainingLoop loop(*model_, *optimizer_, make_loss(config_.loss), source, *waiter);
  {
    WorkerGate gate;
    loop.run(3, meter, trace_);
    EXPECT_EQ(meter.counts().in_flight, 3);
  }

  loop.run(47, meter, trace_);
  events.synchronize();

  EXPECT_EQ(meter.counts().in_flight_peak, 3);
  EXPECT_EQ(meter.counts().kept_bytes_peak, 3 * trace_.batch_bytes);
  EXPECT_EQ(meter.counts().finished, 50);
}

// The back ends of `acpu` (marks of its engine) and of devices with events, which `acpu` has too:
// what they wait for, seen behind a gate that holds the worker.

class BackEndTest : public device::DeviceTest {
 protected:
  torch::Tensor issue_one() { return torch::ones({2}, acpu_) + 1; }
};

TEST_F(BackEndTest, OnlyAcpuHoldsOperationsAtTheirAdmission) {
  EXPECT_TRUE(make_back_end(acpu_)->holds_at_admission());
  EXPECT_FALSE(make_back_end(torch::kCPU)->holds_at_admission());
  EXPECT_FALSE(EventBackEnd(acpu_).holds_at_admission()) << "as it serves cuda";
}

TEST_F(BackEndTest, MarkFinishesWhenWhatWasIssuedBeforeHas) {
  const auto marks = make_back_end(acpu_);
  EventBackEnd events(acpu_);
  for (BackEnd* const back_end : {marks.get(), static_cast<BackEnd*>(&events)}) {
    WorkerGate gate;
    issue_one();
    std::latch notified{1};
    const auto mark = back_end->mark([&notified](TimePoint) { notified.count_down(); });
    EXPECT_FALSE(mark->is_finished());
    EXPECT_FALSE(notified.try_wait());

    gate.open();
    mark->wait();
    EXPECT_TRUE(mark->is_finished());
    back_end->synchronize();
    notified.wait();
  }
}

TEST_F(BackEndTest, EventsAreReportedInTheirOrderWithTheirTimes) {
  EventBackEnd back_end(acpu_);
  const TimePoint begun = Clock::now();
  std::vector<int> order;
  std::vector<TimePoint> times;
  for (int i = 0; i < 3; ++i) {
    issue_one();
    back_end.mark([&, i](TimePoint time) {
      order.push_back(i);
      times.push_back(time);
    });
  }

  back_end.synchronize();

  // The origin of an event's time is known to some microseconds.
  const auto slack = std::chrono::milliseconds(50);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_GE(times.front(), begun - slack);
  EXPECT_LE(times.back(), Clock::now() + slack);
}

class PacerTest : public device::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    x_ = torch::zeros({}, acpu_);
    device::synchronize();
  }
  torch::Tensor issue_batch() { return x_ += 1; }
  static engine::RunAheadLimit limit() { return device::options().limit.value(); }

  torch::Tensor x_{};
};

TEST_F(PacerTest, EveryBatchWaitsForTheLossOrElseForAllThatWasIssued) {
  Pacer pacer(acpu_, {"every_batch", {{"wait", "loss_ready"}}});
  issue_batch();
  pacer.after_batch();
  EXPECT_EQ(device::backlog().operations, 0);
  const torch::Tensor loss = issue_batch() + 1;
  WorkerGate gate;
  pacer.after_batch(loss);
  EXPECT_EQ(device::backlog().operations, 1) << "the gate, which was issued after the loss";
}

TEST_F(PacerTest, BudgetSetsTheDevicesLimitOfBytesAndKeepsTheOthers) {
  device::set_limit({.operations = 7, .bytes = 100, .notice_bytes = 50});
  const Pacer pacer(acpu_, {"budget", {{"bytes", "1MiB"}}});
  EXPECT_EQ(limit().bytes, 1U << 20);
  EXPECT_EQ(limit().operations, 7);
  EXPECT_EQ(limit().notice_bytes, std::nullopt);
}

TEST_F(PacerTest, AdaptiveChoosesTheOperationsInFlightAndTheLatestPacerObserves) {
  device::set_limit({.bytes = 100});
  Pacer first(acpu_, {"adaptive", {{"ceiling", 1000}}});
  EXPECT_EQ(limit().bytes, 100) << "less than the ceiling";
  device::set_limit({});
  Pacer second(acpu_, {"adaptive", {{"ceiling", 1000}}});
  EXPECT_EQ(limit().bytes, 1000);
  for (int i = 0; i < 8; ++i) issue_batch();
  second.after_batch();
  EXPECT_EQ(limit().operations, 10) << "of a batch, and a quarter";
}

}  // namespace run_ahead_test
}  // namespace runahead::train
