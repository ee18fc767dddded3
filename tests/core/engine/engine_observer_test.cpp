#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine_kinds.h"

namespace runahead::engine::test {
namespace {

/// Writes down what it is told, by operation.
class RecordingObserver final : public Observer {
 public:
  void on_push(const OperationEvent& event) noexcept override { note("push", event); }
  void on_ready(const OperationEvent& event) noexcept override { note("ready", event); }
  void on_start(const OperationEvent& event) noexcept override { note("start", event); }
  void on_finish(const OperationEvent& event) noexcept override {
    note(event.failed ? "failed" : event.skipped ? "skipped" : "finish", event);
  }

  std::string steps_of(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    std::string steps;
    for (const auto& [step, event] : events_[sequence]) steps += step + " ";
    return steps;
  }
  std::vector<OperationEvent> events_of(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    std::vector<OperationEvent> events;
    for (const auto& [step, event] : events_[sequence]) events.push_back(event);
    return events;
  }

 private:
  void note(std::string step, const OperationEvent& event) noexcept {
    const std::lock_guard lock(mutex_);
    events_[event.sequence].emplace_back(std::move(step), event);
  }
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::pair<std::string, OperationEvent>>> events_;
};

class EngineObserver : public ::testing::TestWithParam<EngineKind> {
 protected:
  RecordingObserver observer_;
};

TEST_P(EngineObserver, SeesEveryOperationsWay) {
  EngineOptions options = GetParam().options();
  options.observer = &observer_;
  const auto engine = make_engine(options);
  const VariablePtr x = make_variable();
  engine->push({.name = "works", .body = [] {}, .accesses = {writes(x)}, .cost_bytes = 12});
  engine->push({.name = "fails", .body = [] { throw 1; }, .accesses = {writes(x)}});
  engine->push({.name = "depends", .body = [] {}, .accesses = {reads(x)}});
  EXPECT_THROW(engine->wait_all(), OperationError);

  EXPECT_EQ(observer_.steps_of(1), "push ready start finish ");
  EXPECT_EQ(observer_.steps_of(2), "push ready start failed ");
  EXPECT_EQ(observer_.steps_of(3), "push ready skipped ");
}

TEST_P(EngineObserver, IsToldWhatWhereAndWhen) {
  EngineOptions options = GetParam().options();
  options.observer = &observer_;
  const auto engine = make_engine(options);
  engine->push({.name = "works", .body = [] {}, .cost_bytes = 12});
  engine->wait_all();

  const std::vector<OperationEvent> events = observer_.events_of(1);
  ASSERT_EQ(events.size(), 4U);
  TimePoint last{};
  for (const OperationEvent& event : events) {
    EXPECT_EQ(event.name, "works");
    EXPECT_EQ(event.cost_bytes, 12U);
    EXPECT_LE(last, event.time);
    last = event.time;
  }
  EXPECT_EQ(events[0].worker, -1);
  EXPECT_EQ(events[2].worker >= 0, options.workers > 0);
  EXPECT_LT(events[3].worker, std::max(1, options.workers));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineObserver, ::testing::ValuesIn(kEngineKinds),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace runahead::engine::test
