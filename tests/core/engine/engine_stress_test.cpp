#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

#include "core/engine/engine_kinds.h"

// Several pushing threads, several workers, a small limit. The slots are plain numbers: a hazard
// that is not ordered is a lost count, and a report of ThreadSanitizer.
namespace runahead::engine::test {
namespace {

constexpr std::size_t kSlots = 50;
constexpr int kThreads = 4;
constexpr int kOperationsPerThread = 50'000;

std::atomic<int>& variables_alive() {
  static std::atomic<int> count{0};
  return count;
}

class LiveVariable final : public Variable {
 public:
  LiveVariable() { ++variables_alive(); }
  ~LiveVariable() override { --variables_alive(); }
};

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
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      for (int i = 0; i < kOperationsPerThread; ++i) {
        engine->push(random_operation(random, slots, torn_reads));
        if (i % 1000 == 0) engine->wait_for(slots.tags[random() % kSlots]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  engine->wait_all();

  std::uint64_t sum = 0;
  for (const std::uint64_t count : slots.counts) sum += count;
  EXPECT_EQ(sum, std::uint64_t{kThreads} * kOperationsPerThread);
  EXPECT_EQ(torn_reads, 0);
  EXPECT_EQ(variables_alive(), 0);
  EXPECT_EQ(engine->in_flight(), 0U);
  EXPECT_EQ(engine->bytes_in_flight(), 0U);
  EXPECT_LE(engine->in_flight_peak(), 64U);
}

}  // namespace
}  // namespace runahead::engine::test
