#include "core/train/batch_loader.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

#include "core/base/affinity.h"
#include "core/base/error.h"

namespace runahead::train {
namespace {

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

}  // namespace
}  // namespace runahead::train
