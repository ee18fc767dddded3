#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <atomic>
#include <memory>

#include "core/device/device_fixture.h"
#include "core/train/prefetch_source.h"
#include "support/gate.h"

namespace runahead::train {
namespace batch_source_test {

using test::Gate;

/// Batches that are numbered from 0, as `make` makes them.
class NumberedSource final : public BatchSource {
 public:
  explicit NumberedSource(std::function<torch::Tensor(std::int64_t)> make)
      : make_(std::move(make)) {}
  Batch next() override { return {.inputs = make_(asked_++), .targets = torch::Tensor()}; }

  /// How often a batch was asked for.
  [[nodiscard]] std::int64_t asked() const { return asked_.load(); }

 private:
  std::function<torch::Tensor(std::int64_t)> make_;
  std::atomic<std::int64_t> asked_{0};
};

torch::Tensor numbered(std::int64_t number) { return torch::full({2}, number); }

TEST(PrefetchSource, IsNeverFurtherAheadThanItMay) {
  constexpr std::int64_t kAhead = 3;
  std::atomic<std::int64_t> taken{0};
  std::atomic<std::int64_t> furthest{0};
  NumberedSource source([&](std::int64_t number) {
    furthest = std::max(furthest.load(), number - taken.load());
    return numbered(number);
  });
  PrefetchSource prefetch(source, {.ahead = kAhead, .batches = 200});

  for (int i = 0; i < 200; ++i) {
    ++taken;  // Before the batch is taken: there may be room at once.
    static_cast<void>(prefetch.next());
  }

  EXPECT_LT(furthest.load(), kAhead);
}

TEST(PrefetchSource, EndsAtOnceWhileThereIsNoRoom) {
  Gate made;
  NumberedSource source([&](std::int64_t number) {
    made.open();
    return numbered(number);
  });
  auto prefetch =
      std::make_unique<PrefetchSource>(source, PrefetchOptions{.ahead = 1, .batches = 9});
  made.pass();

  prefetch.reset();

  EXPECT_EQ(source.asked(), 1);
}

TEST(PrefetchSource, RunsTheSourceOnAThreadOfItsOwnWithTheSettingsOfItsMaker) {
  std::thread::id made;
  bool is_grad_enabled = true;
  int intra_op_threads = 0;
  NumberedSource source([&](std::int64_t number) {
    made = std::this_thread::get_id();
    is_grad_enabled = torch::GradMode::is_enabled();
    intra_op_threads = at::get_num_threads();
    return numbered(number);
  });
  const torch::NoGradGuard no_grad;
  PrefetchSource prefetch(source, {.ahead = 1, .batches = 1});
  static_cast<void>(prefetch.next());

  EXPECT_NE(made, std::this_thread::get_id());
  EXPECT_FALSE(is_grad_enabled);
  EXPECT_EQ(intra_op_threads, at::get_num_threads());
}

/// Reports that a push is held at the run-ahead limit.
class HeldObserver final : public engine::Observer {
 public:
  void on_wait_begin(const engine::WaitEvent& event) noexcept override {
    if (event.cause == engine::WaitCause::kLimit) held.open();
  }
  Gate held{};
};

class PrefetchOnDeviceTest : public device::DeviceTest {
 protected:
  static constexpr std::int64_t kBatchBytes = 1 << 16;

  /// Memory is claimed at issue: what is prepared ahead is in the budget from then on.
  void configure(const engine::RunAheadLimit& limit) {
    device::configure(
        {.allocation = device::Allocation::kAtIssue, .limit = limit, .observer = &observer_});
  }

  HeldObserver observer_{};
  NumberedSource source_{[this](std::int64_t) {
    return torch::ones({kBatchBytes / 4}, torch::dtype(torch::kFloat32).device(acpu_));
  }};
};

TEST_F(PrefetchOnDeviceTest, BudgetBoundsWhatIsPreparedAhead) {
  constexpr std::int64_t kFit = 3;
  configure({.bytes = kFit * kBatchBytes + kBatchBytes / 2});
  device::WorkerGate gate;
  PrefetchSource prefetch(source_, {.ahead = 50, .batches = 50});
  observer_.held.pass();

  EXPECT_LE(source_.asked(), kFit + 1);
  EXPECT_LE(device::memory_stats().committed_bytes, (kFit + 1) * kBatchBytes);
  gate.open();
  for (int i = 0; i < 50; ++i) static_cast<void>(prefetch.next());
}

TEST_F(PrefetchOnDeviceTest, EndsWhileItIsHeldAtTheLimit) {
  configure({.operations = 1});
  device::WorkerGate gate;
  auto prefetch =
      std::make_unique<PrefetchSource>(source_, PrefetchOptions{.ahead = 9, .batches = 9});
  observer_.held.pass();

  gate.open();
  prefetch.reset();

  EXPECT_LE(source_.asked(), 9);
}

TEST_F(PrefetchOnDeviceTest, WhatItAllocatesCountsAsInputs) {
  configure({});
  PrefetchSource prefetch(source_, {.ahead = 1, .batches = 1});
  const Batch batch = prefetch.next();
  device::synchronize();

  const device::MemoryStats stats = device::memory_stats();
  EXPECT_EQ(stats.class_bytes[static_cast<std::size_t>(device::TensorClass::kInputs)], kBatchBytes);
}

}  // namespace batch_source_test
}  // namespace runahead::train
