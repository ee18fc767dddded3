#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

// Several pushing threads and several workers.
namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

constexpr std::size_t kSlots = 50;
constexpr int kThreads = 4;
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
  for (int t = 0; t < kThreads; ++t) {
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
  EXPECT_EQ(sum, std::uint64_t{kThreads} * kOperationsPerThread);
  EXPECT_EQ(torn_reads, 0);
  EXPECT_EQ(markers_called, kThreads * kOperationsPerThread / 100);
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

}  // namespace
}  // namespace runahead::engine::test
