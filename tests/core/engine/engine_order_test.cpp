#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

// Which ready operation a free worker takes: one worker, held at a gate while the rest is pushed.
namespace runahead::engine::test {
namespace {

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

}  // namespace
}  // namespace runahead::engine::test
