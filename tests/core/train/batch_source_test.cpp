#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <atomic>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>

#include "core/base/affinity.h"
#include "core/base/error.h"
#include "core/device/device_fixture.h"
#include "core/train/batch_loader.h"
#include "core/train/prefetch_source.h"
#include "support/gate.h"

namespace runahead::train {
namespace batch_source_test {

std::vector<std::int64_t> itself(std::int64_t batch) { return {batch}; }

Batch batch_of(const std::vector<std::int64_t>& examples) {
  return {.inputs = torch::tensor(examples)};
}

std::int64_t value_of(const Batch& batch) { return batch.inputs.item<std::int64_t>(); }

TEST(BatchLoader, GivesBatchesInTheirOrderWhateverTheThreads) {
  for (const std::size_t threads : {1U, 3U, 8U}) {
    BatchLoader loader({.threads = threads, .ahead = 2}, 5, itself, batch_of);
    for (std::int64_t expected = 5; expected < 60; ++expected) {
      ASSERT_EQ(value_of(loader.next()), expected) << threads;
    }
  }
}

TEST(BatchLoader, BeginsNoMoreBatchesThanItHasRoomFor) {
  std::atomic<std::int64_t> most{-1};
  std::latch all_begun(6);
  const auto note = [&](std::int64_t batch) {
    std::int64_t before = most.load();
    while (before < batch && !most.compare_exchange_weak(before, batch)) {
    }
    if (batch < 6) all_begun.count_down();
    return itself(batch);
  };
  BatchLoader loader({.threads = 2, .ahead = 3}, 0, note, batch_of);
  all_begun.wait();
  EXPECT_EQ(most.load(), 5);

  EXPECT_EQ(value_of(loader.next()), 0);
  EXPECT_EQ(value_of(loader.next()), 1);
  EXPECT_LE(most.load(), 7);
}

TEST(BatchLoader, MakesNoBatchFromItsEndOn) {
  std::atomic<int> made{0};
  const auto count = [&made](const std::vector<std::int64_t>& examples) {
    ++made;
    return batch_of(examples);
  };
  {
    BatchLoader loader({.threads = 2, .ahead = 4, .end = 3}, 1, itself, count);
    EXPECT_EQ(value_of(loader.next()), 1);
    EXPECT_EQ(value_of(loader.next()), 2);
    EXPECT_THROW(loader.next(), UsageError);
  }
  EXPECT_EQ(made, 2);
}

TEST(BatchLoader, MakesBatchesOnAllItsThreadsAtOnce) {
  std::latch both(2);
  const auto meet = [&both](const std::vector<std::int64_t>& examples) {
    if (examples.front() < 2) both.arrive_and_wait();
    return batch_of(examples);
  };
  BatchLoader loader({.threads = 2, .ahead = 1}, 0, itself, meet);

  EXPECT_EQ(value_of(loader.next()), 0);
  EXPECT_EQ(value_of(loader.next()), 1);
}

TEST(BatchLoader, MakesBatchesOnItsOwnCpusThoughItsStarterIsPinned) {
  const std::vector<int> cpus = allowed_cpus();
  const auto note_cpus = [](const std::vector<std::int64_t>&) {
    return Batch{.inputs = torch::tensor(static_cast<std::int64_t>(allowed_cpus().size()))};
  };
  std::thread([&] {
    pin_calling_thread(cpus.front());
    BatchLoader inheriting({.end = 1}, 0, itself, note_cpus);
    EXPECT_EQ(value_of(inheriting.next()), 1);
    BatchLoader wide({.cpus = cpus, .end = 1}, 0, itself, note_cpus);
    EXPECT_EQ(value_of(wide.next()), static_cast<std::int64_t>(cpus.size()));
  }).join();
}

TEST(BatchLoader, ThrowsWhatWentWrongAfterTheBatchesBefore) {
  const auto fail = [](const std::vector<std::int64_t>& examples) {
    if (examples.front() == 2) throw std::runtime_error("the disk is gone");
    return batch_of(examples);
  };
  BatchLoader loader({.threads = 3, .ahead = 2}, 0, itself, fail);

  EXPECT_EQ(value_of(loader.next()), 0);
  EXPECT_EQ(value_of(loader.next()), 1);
  EXPECT_THROW(loader.next(), std::runtime_error);
  EXPECT_THROW(loader.next(), std::runtime_error);
}

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
