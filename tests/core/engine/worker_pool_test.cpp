#include "core/engine/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>

#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

/// Counts down: a piece of work is one down.
class Countdown final : public WorkSource {
 public:
  void work(int) noexcept override {
    int left = left_;
    while (left > 0) {
      if (!left_.compare_exchange_weak(left, left - 1)) continue;
      if (--unfinished_ == 0) all_done_.open();
      left = left_;
    }
  }
  bool has_work() noexcept override { return left_ > 0; }
  Outlook look_out(int, bool) noexcept override {
    return left_ > 0 ? Outlook::kWork : Outlook::kNoWork;
  }

  void add(int count) {
    unfinished_ += count;
    left_ += count;
  }
  Gate& all_done() { return all_done_; }

 private:
  std::atomic<int> left_{0};
  std::atomic<int> unfinished_{0};
  Gate all_done_;
};

class WorkerPoolTest : public ::testing::TestWithParam<int> {};

TEST_P(WorkerPoolTest, DoesWhatItIsNotifiedOf) {
  for (int round = 0; round < 100; ++round) {
    Countdown source;
    WorkerPool pool(GetParam(), {}, source);
    source.add(10);
    pool.notify();

    ASSERT_NO_THROW(source.all_done().pass());
  }
}

TEST_P(WorkerPoolTest, MayBeDestroyedAtAnyMoment) {
  for (int round = 0; round < 100; ++round) {
    Countdown source;
    const auto pool = std::make_unique<WorkerPool>(GetParam(), nullptr, source);
    if (round % 2 == 0) {
      source.add(round);
      pool->notify();
    }
  }
}

TEST_P(WorkerPoolTest, KnowsItsThreads) {
  Countdown source;
  const WorkerPool pool(GetParam(), {}, source);

  EXPECT_FALSE(pool.is_worker_thread());
}

TEST_P(WorkerPoolTest, LeavesNoThreadWhenOneFailsToStart) {
  Countdown source;
  const auto on_start = [](int worker) {
    if (worker == 0) throw std::runtime_error("cannot start");
  };

  EXPECT_THROW(WorkerPool(GetParam(), on_start, source), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Workers, WorkerPoolTest, ::testing::Values(1, 2, 8));

}  // namespace
}  // namespace runahead::engine::test
