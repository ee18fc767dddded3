#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "core/engine/observed_accesses.h"
#include "core/engine/observer_list.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;
using ::testing::ElementsAre;

/// Writes down what it is told, by operation.
class RecordingObserver final : public Observer {
 public:
  void on_push(const OperationEvent& event) noexcept override { note("push", event); }
  void on_ready(const OperationEvent& event) noexcept override { note("ready", event); }
  void on_start(const OperationEvent& event) noexcept override { note("start", event); }
  void on_finish(const OperationEvent& event) noexcept override {
    note(event.failed ? "failed" : event.skipped ? "skipped" : "finish", event);
  }

  void on_wait_begin(const WaitEvent& event) noexcept override { note_wait("begin", event); }
  void on_wait_end(const WaitEvent& event) noexcept override { note_wait("end", event); }

  std::string waits() {
    const std::lock_guard lock(mutex_);
    return waits_;
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
  void note_wait(std::string_view step, const WaitEvent& event) noexcept {
    const std::lock_guard lock(mutex_);
    static constexpr std::string_view kCauses[] = {"limit", "variable", "all", "turn"};
    waits_.append(step).append(" ").append(kCauses[static_cast<std::size_t>(event.cause)]);
    waits_ += "; ";
  }
  std::mutex mutex_;
  std::string waits_;
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

TEST_P(EngineObserver, CanAskTheBodyUntilItHasRun) {
  EngineOptions options = GetParam().options();
  options.observer = &observer_;
  const auto engine = make_engine(options);
  engine->push({.name = "works", .body = [] {}});
  engine->wait_all();

  const std::vector<OperationEvent> events = observer_.events_of(1);
  ASSERT_EQ(events.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(events[i].body, nullptr) << i;
  EXPECT_EQ(events[3].body, nullptr);
}

TEST_P(EngineObserver, CanAskWhatAnOperationNames) {
  class AccessObserver final : public Observer {
   public:
    void on_push(const OperationEvent& event) noexcept override { accesses = accesses_of(event); }
    std::vector<Access> accesses{};
  } observer;
  EngineOptions options = GetParam().options();
  options.observer = &observer;
  const auto engine = make_engine(options);
  const VariablePtr x = make_variable();
  const VariablePtr y = make_variable();
  engine->push({.name = "works",
                .body = [] {},
                .accesses = {reads(x), overwrites(y), reads(x), overwrites(x)}});
  engine->wait_all();

  ASSERT_EQ(observer.accesses.size(), 2U) << "each variable once";
  EXPECT_EQ(observer.accesses[0].variable, x);
  EXPECT_EQ(observer.accesses[0].mode, AccessMode::kWrite) << "read and overwritten is changed";
  EXPECT_EQ(observer.accesses[1].variable, y);
  EXPECT_EQ(observer.accesses[1].mode, AccessMode::kOverwrite);
  EXPECT_TRUE(accesses_of(OperationEvent()).empty());
}

TEST_P(EngineObserver, IsToldOfNoWaitThatDoesNotBlock) {
  EngineOptions options = GetParam().options();
  options.observer = &observer_;
  const auto engine = make_engine(options);
  engine->wait_all();
  engine->wait_for(make_variable());

  EXPECT_EQ(observer_.waits(), "");
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineObserver, ::testing::ValuesIn(kEngineKinds),
                         [](const auto& kind) { return kind.param.name; });

/// Lets go of the gate when the engine tells that somebody waits.
class OpeningObserver final : public Observer {
 public:
  explicit OpeningObserver(Gate& gate) : gate_(gate) {}
  void on_wait_begin(const WaitEvent& event) noexcept override {
    causes.push_back(event.cause);
    gate_.open();
  }
  void on_wait_end(const WaitEvent& event) noexcept override { causes.push_back(event.cause); }

  std::vector<WaitCause> causes;  ///< Of one waiting thread.

 private:
  Gate& gate_;
};

class EngineWaitObserver : public ::testing::Test {
 protected:
  EngineOptions options(RunAheadLimit limit = {}) {
    return {.workers = 1, .limit = limit, .observer = &observer_};
  }
  Operation gated() {
    return {.name = "gated", .body = [this] { gate_.pass(); }, .accesses = {writes(x_)}};
  }

  Gate gate_;
  OpeningObserver observer_{gate_};
  const VariablePtr x_ = make_variable();
};

TEST_F(EngineWaitObserver, IsToldOfAWaitForAVariable) {
  const auto engine = make_engine(options());
  engine->push(gated());
  engine->wait_for(x_);

  EXPECT_THAT(observer_.causes, ElementsAre(WaitCause::kVariable, WaitCause::kVariable));
}

TEST_F(EngineWaitObserver, IsToldOfAWaitForAll) {
  const auto engine = make_engine(options());
  engine->push(gated());
  engine->wait_all();

  EXPECT_THAT(observer_.causes, ElementsAre(WaitCause::kAll, WaitCause::kAll));
}

TEST_F(EngineWaitObserver, IsToldOfAPushThatIsHeld) {
  const auto engine = make_engine(options({.operations = 1}));
  engine->push(gated());
  engine->push({.name = "held", .body = [] {}});

  EXPECT_THAT(observer_.causes, ElementsAre(WaitCause::kLimit, WaitCause::kLimit));
}

TEST(ObserverList, PassesOnEverythingToEach) {
  RecordingObserver first;
  RecordingObserver second;
  ObserverList list({&first, &second});
  const OperationEvent event{.sequence = 1, .name = "works"};
  list.on_push(event);
  list.on_ready(event);
  list.on_start(event);
  list.on_finish(event);
  list.on_wait_begin({.cause = WaitCause::kAll});
  list.on_wait_end({.cause = WaitCause::kAll});

  for (RecordingObserver* const observer : {&first, &second}) {
    EXPECT_EQ(observer->steps_of(1), "push ready start finish ");
    EXPECT_EQ(observer->waits(), "begin all; end all; ");
  }
}

}  // namespace
}  // namespace runahead::engine::test
