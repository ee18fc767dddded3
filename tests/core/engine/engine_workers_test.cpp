#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/engine/engine_kinds.h"
#include "core/engine/push_times.h"
#include "core/engine/spin.h"
#include "core/engine/worker_throttle.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

// Which ready operation a free worker takes: one worker, held at a gate while the rest is pushed.

using runahead::test::Gate;

struct Entry {
  int number = 0;
  bool depends = false;  ///< On the operation at the gate.
  int priority = 0;
};

/// Pushes the entries while the worker is held; returns their numbers in the order they ran.
std::vector<int> order_of(ReadyOrder ready_order, const std::vector<Entry>& entries) {
  const VariablePtr held = make_variable();
  Gate is_held;
  Gate gate;
  std::vector<int> order;
  const auto engine = make_engine({.workers = 1, .ready_order = ready_order});
  engine->push({.name = "hold",
                .body =
                    [&] {
                      is_held.open();
                      gate.pass();
                    },
                .accesses = {writes(held)}});
  is_held.pass();
  for (const Entry& entry : entries) {
    Operation operation{.name = "entry",
                        .body = [&order, number = entry.number] { order.push_back(number); },
                        .priority = entry.priority};
    if (entry.depends) operation.accesses.push_back(reads(held));
    engine->push(std::move(operation));
  }
  gate.open();
  engine->wait_all();
  return order;
}

TEST(EngineOrder, IsThatOfASortedListWhateverThePriorities) {
  std::mt19937_64 random(1);
  for (const ReadyOrder ready_order : {ReadyOrder::kFirstReady, ReadyOrder::kOldestFirst}) {
    for (const int count : {5, 50, 3000}) {
      std::vector<Entry> entries;
      for (int i = 0; i < count; ++i) {
        const int priority = random() % 2 == 0 ? 0 : static_cast<int>(random() % 4) - 2;
        entries.push_back({i, random() % 2 == 0, priority});
      }
      const std::vector<int> order = order_of(ready_order, entries);
      // Those that depend on nothing are ready first.
      const bool by_readiness = ready_order == ReadyOrder::kFirstReady;
      std::ranges::stable_sort(entries, {}, [by_readiness](const Entry& entry) {
        return std::tuple(-entry.priority, by_readiness && entry.depends);
      });
      std::vector<int> expected;
      for (const Entry& entry : entries) expected.push_back(entry.number);

      ASSERT_EQ(order, expected) << count;
    }
  }
}

// How long operations have been in flight, and which of two workers stands back.

using std::chrono::milliseconds;

TEST(PushTimes, AreWithinOnePercentWithoutGrowingUntilTheirOperationsHaveFinished) {
  PushTimes times;
  const TimePoint start{};
  constexpr int kTicks = 100'000;
  EXPECT_FALSE(times.of(1).has_value());
  for (int i = 0; i < kTicks; ++i) {
    const TimePoint tick = start + milliseconds(4 * i);
    times.note(static_cast<std::uint64_t>(2 * i + 1), 1, tick);
    times.note(static_cast<std::uint64_t>(2 * i + 2), 1, tick);
  }
  EXPECT_EQ(times.of(1), start);
  EXPECT_EQ(times.of(2), start);
  for (int i = 0; i < kTicks; i += 997) {
    const auto pushed_at = times.of(static_cast<std::uint64_t>(2 * i + 1));
    const TimePoint exact = start + milliseconds(4 * i);
    ASSERT_TRUE(pushed_at.has_value());
    EXPECT_LE(*pushed_at, exact);
    EXPECT_LE(seconds_between(*pushed_at, exact), 0.01 * 0.004 * kTicks);
  }
  times.note(2 * kTicks + 1, 2 * kTicks, start + milliseconds(4 * kTicks));
  EXPECT_FALSE(times.of(1).has_value()) << "it has finished";
  EXPECT_TRUE(times.of(2 * kTicks).has_value());
}

TEST(WorkerThrottle, OfTwoWithShortBodiesTheSecondStandsBack) {
  WorkerThrottle throttle;
  WorkerThrottle::Account first;
  WorkerThrottle::Account second;
  bool has_second_left = false;
  // Timing a body may fail by chance on a busy machine: then the next round decides.
  for (int i = 0; i < 1000 && !has_second_left; ++i) {
    ASSERT_FALSE(throttle.take(first, 0));
    WorkerThrottle::run(first, [] {});
    has_second_left = throttle.take(second, 1);
    if (!has_second_left) WorkerThrottle::run(second, [] {});
  }
  EXPECT_TRUE(has_second_left);
  EXPECT_EQ(throttle.last_worker(), 0);
}

TEST(WorkerThrottle, AreQuickByTheirAverageSinceTheLastLook) {
  WorkerThrottle throttle;
  WorkerThrottle::Account account;
  const TimePoint start = Clock::now() + WorkerThrottle::kWatchTime;
  static_cast<void>(throttle.are_quick(start));
  for (int i = 0; i < 100; ++i) static_cast<void>(throttle.take(account, 0));

  EXPECT_TRUE(throttle.are_quick(start + 99 * WorkerThrottle::kLongTurn));
  EXPECT_TRUE(throttle.are_quick(start + 99 * WorkerThrottle::kLongTurn + TimePoint::duration(1)))
      << "it is not judged again before the watch time is over";
  for (int i = 0; i < 100; ++i) static_cast<void>(throttle.take(account, 0));
  EXPECT_FALSE(throttle.are_quick(start + (99 + 100) * WorkerThrottle::kLongTurn));
}

// Several pushing threads and several workers.

constexpr std::size_t kSlots = 50;
constexpr int kPushers = 4;
constexpr int kOperationsPerThread = 25'000;

std::atomic<int>& variables_alive() {
  static std::atomic<int> count{0};
  return count;
}

class LiveVariable final : public Variable {
 public:
  LiveVariable() { ++variables_alive(); }
  ~LiveVariable() override { --variables_alive(); }
};

/// Plain numbers: a hazard that is not ordered is a lost count, and a report of ThreadSanitizer.
struct Slots {
  std::array<VariablePtr, kSlots> tags{};
  std::array<std::uint64_t, kSlots> counts{};
};

Operation random_operation(std::mt19937_64& random, Slots& slots, std::atomic<int>& torn_reads) {
  const std::size_t read = random() % kSlots;
  const std::size_t written = random() % kSlots;
  Operation operation{.name = "count", .body = [&slots, &torn_reads, read, written] {
                        const std::uint64_t before = slots.counts[read];
                        ++slots.counts[written];
                        const std::uint64_t expected = before + (read == written ? 1 : 0);
                        if (slots.counts[read] != expected) ++torn_reads;
                      }};
  operation.accesses.push_back(reads(slots.tags[read]));
  operation.accesses.push_back(writes(slots.tags[written]));
  operation.accesses.push_back({VariablePtr(new LiveVariable()), AccessMode::kOverwrite});
  operation.cost_bytes = random() % 100;
  operation.priority = static_cast<int>(random() % 3);
  return operation;
}

TEST(EngineStress, ManyThreadsAndWorkersWithinASmallLimit) {
  const auto engine = make_engine({.workers = 4, .limit = {.operations = 64}});
  Slots slots;
  for (VariablePtr& tag : slots.tags) tag = make_variable();
  std::atomic<int> torn_reads{0};
  std::atomic<int> markers_called{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kPushers; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      for (int i = 0; i < kOperationsPerThread; ++i) {
        engine->push(random_operation(random, slots, torn_reads));
        if (i % 1000 == 0) engine->wait_for(slots.tags[random() % kSlots]);
        if (i % 100 == 0) engine->mark([&](TimePoint) { ++markers_called; }).wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  engine->wait_all();

  std::uint64_t sum = 0;
  for (const std::uint64_t count : slots.counts) sum += count;
  EXPECT_EQ(sum, std::uint64_t{kPushers} * kOperationsPerThread);
  EXPECT_EQ(torn_reads, 0);
  EXPECT_EQ(markers_called, kPushers * kOperationsPerThread / 100);
  EXPECT_EQ(variables_alive(), 0);
  EXPECT_EQ(engine->in_flight(), 0U);
  EXPECT_LE(engine->in_flight_peak(), 64U);
}

// However the workers take turns, none idles for good while an operation is ready.
class EngineParallelism : public EachEngine {
 protected:
  /// Pushes as many bodies as there are workers; each ends only when all have begun.
  void push_meeting() {
    struct Meeting {
      std::atomic<int> present{0};
      Gate all_present;
    };
    const auto meeting = std::make_shared<Meeting>();
    const int workers = GetParam().workers;
    for (int i = 0; i < workers; ++i) {
      engine_->push({.name = "meet", .body = [meeting, workers] {
                       if (++meeting->present == workers) meeting->all_present.open();
                       meeting->all_present.pass();
                     }});
    }
  }
  void push_short_bodies(int count) {
    const VariablePtr x = make_variable();
    for (int i = 0; i < count; ++i) {
      engine_->push(
          {.name = "short", .body = [] {}, .accesses = {i % 2 == 0 ? writes(x) : reads(x)}});
    }
  }
};

TEST_P(EngineParallelism, WorkersMeetAgainAndAgainThoughTheyStoodBackFromShortBodies) {
  for (int round = 0; round < 50; ++round) {
    push_meeting();
    if (round % 20 == 0) push_short_bodies(20'000);
    if (round % 2 == 0) {
      ASSERT_NO_THROW(engine_->wait_all());
    }
  }
  EXPECT_NO_THROW(engine_->wait_all());
}

RUNAHEAD_RUN_ON_EACH_ENGINE(EngineParallelism);

bool become_real_time() {
  const sched_param lowest{.sched_priority = 1};
  return pthread_setschedparam(pthread_self(), SCHED_RR, &lowest) == 0;
}

// Yielding does not pass the CPU to a lower priority, and the kernel takes it away only after 0.95
// s.
TEST(SpinLock, AContenderOfRealTimePriorityLetsTheHolderFinish) {
  constexpr double kHolderCpuSeconds = 0.002;
  const int cpu = allowed_cpus().front();
  SpinLock lock;
  std::atomic<bool> is_held{false};
  std::atomic<bool> is_contended{false};
  std::thread holder([&] {
    pin_calling_thread(cpu);
    lock.lock();
    is_held = true;
    while (!is_contended) std::this_thread::yield();
    const double begun = thread_cpu_seconds();
    while (thread_cpu_seconds() < begun + kHolderCpuSeconds) {
    }
    lock.unlock();
  });
  bool is_real_time = false;
  double contender_cpu_seconds = 0.0;
  std::thread contender([&] {
    pin_calling_thread(cpu);
    while (!is_held) std::this_thread::yield();
    is_real_time = become_real_time();
    is_contended = true;
    const double begun = thread_cpu_seconds();
    lock.lock();
    contender_cpu_seconds = thread_cpu_seconds() - begun;
    lock.unlock();
  });
  holder.join();
  contender.join();

  if (!is_real_time) GTEST_SKIP() << "this system grants no real-time priority";
  EXPECT_LT(contender_cpu_seconds, 0.5);
}

}  // namespace
}  // namespace runahead::engine::test
