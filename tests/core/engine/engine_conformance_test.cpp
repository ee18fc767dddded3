#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "core/engine/observed_accesses.h"
#include "core/engine/observer_list.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

// What every engine promises besides the order of its operations: waits, markers, misuse, bodies
// that push, and variables that go from one engine to another.

using runahead::test::Gate;

class EngineConformance : public EachEngine {
 protected:
  void push_writes(Engine& engine, const VariablePtr& variable, int count) {
    for (int i = 0; i < count; ++i) {
      engine.push({.name = "write", .body = [this] { ++runs_; }, .accesses = {writes(variable)}});
    }
  }

  const VariablePtr x_ = make_variable();
  int runs_ = 0;  ///< Guarded by the order of the writes.
};

TEST_P(EngineConformance, WaitForReturnsOnceTheLastWriteHasFinished) {
  EXPECT_NO_THROW(engine_->wait_for(x_)) << "nothing has written it";
  for (int i = 1; i <= 200; ++i) {
    push_writes(*engine_, x_, 1);
    engine_->wait_for(x_);
    ASSERT_EQ(runs_, i);
    ASSERT_EQ(engine_->in_flight(), 0U);
  }
}

/// Operations that follow each other without end: each pushes the next before it finishes.
class EndlessOperations {
 public:
  explicit EndlessOperations(Engine& engine) : engine_(engine) { push(); }
  ~EndlessOperations() {
    is_stopped_ = true;
    while (engine_.in_flight() > 0) engine_.wait_all();
  }
  EndlessOperations(const EndlessOperations&) = delete;
  EndlessOperations& operator=(const EndlessOperations&) = delete;

  /// Whether they have ended by themselves, after kPatience.
  [[nodiscard]] bool are_over() const { return are_over_; }

 private:
  void push() {
    engine_.push({.name = "endless", .body = [this] {
                    are_over_ = std::chrono::steady_clock::now() - start_ > kPatience;
                    if (!is_stopped_ && !are_over_) push();
                  }});
  }

  static constexpr std::chrono::seconds kPatience{10};
  Engine& engine_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> is_stopped_{false};
  std::atomic<bool> are_over_{false};
};

TEST_P(EngineConformance, WaitAllWaitsForWhatWasPushedBeforeItAndForNothingElse) {
  if (GetParam().workers == 0) GTEST_SKIP() << "nothing is in flight after a push";
  const EndlessOperations others(*engine_);
  std::atomic<int> runs{0};
  for (int round = 1; round <= 20; ++round) {
    for (int i = 0; i < 10; ++i) engine_->push({.name = "count", .body = [&] { ++runs; }});
    engine_->wait_all();

    ASSERT_EQ(runs, 10 * round);
    ASSERT_GT(engine_->in_flight(), 0U);
    ASSERT_FALSE(others.are_over());
  }
}

TEST_P(EngineConformance, RejectsMisuse) {
  EXPECT_THROW(engine_->push({.name = "empty"}), UsageError);
  EXPECT_THROW(engine_->push({.name = "null", .body = [] {}, .accesses = {Access{}}}), UsageError);
  EXPECT_THROW(engine_->wait_for(VariablePtr()), UsageError);
  EXPECT_THROW(engine_->keep(VariablePtr()), UsageError);
  EXPECT_EQ(engine_->in_flight(), 0U);

  engine_->push({.name = "waits", .body = [&] { engine_->wait_all(); }, .accesses = {writes(x_)}});
  EXPECT_THROW(engine_->wait_for(x_), OperationError) << "a body must not wait";
}

TEST_P(EngineConformance, BodiesMayPush) {
  std::vector<int> order;
  const auto inner = [&] {
    engine_->push({.name = "inner", .body = [&] { order.push_back(2); }, .accesses = {writes(x_)}});
    order.push_back(1);
  };
  engine_->push({.name = "outer", .body = inner, .accesses = {writes(x_)}});
  engine_->wait_all();
  engine_->wait_for(x_);

  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_P(EngineConformance, AnIdleVariableGoesOnWithAnotherEngine) {
  push_writes(*engine_, x_, 20);
  engine_->wait_all();
  Gate gate;
  if (GetParam().workers == 0) gate.open();
  const auto other = make_engine(GetParam().options());
  other->push({.name = "hold", .body = [&] { gate.pass(); }});

  EXPECT_NO_THROW(other->wait_for(x_)) << "what is in flight there does not name it";
  gate.open();
  push_writes(*other, x_, 1);
  other->wait_for(x_);
  EXPECT_EQ(runs_, 21);
}

// The new engine may be allocated at the address of the old one, with fewer pushes behind it.
TEST_P(EngineConformance, AVariableOutlivesItsEngine) {
  for (int round = 0; round < 5; ++round) {
    push_writes(*engine_, x_, 20);
    engine_.reset();
    engine_ = make_engine(GetParam().options());

    ASSERT_NO_THROW(engine_->wait_for(x_));
  }
}

TEST_P(EngineConformance, AMarkerFinishesAtOnceAndHereWhenNothingIsInFlight) {
  std::optional<std::thread::id> called_on;
  const Marker marker = engine_->mark([&](TimePoint) { called_on = std::this_thread::get_id(); });

  EXPECT_TRUE(marker.is_finished());
  EXPECT_EQ(called_on, std::this_thread::get_id());
  EXPECT_TRUE(Marker().is_finished());
  EXPECT_NO_THROW(Marker().wait());
}

TEST_P(EngineConformance, MarkersCallBackInOrderAndBeforeWaitAllReturns) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> lasts{0};
    std::vector<int> called;  // Not synchronised: callbacks are ordered among themselves.
    for (int batch = 0; batch < 5; ++batch) {
      push_writes(*engine_, x_, 1);
      engine_->push({.name = "last", .body = [&] { ++lasts; }});
      engine_->mark([&, batch](TimePoint) { called.push_back(lasts > batch ? batch : -1); });
    }
    engine_->wait_all();

    ASSERT_EQ(called, (std::vector<int>{0, 1, 2, 3, 4}));
  }
}

TEST_P(EngineConformance, AMarkerFinishesAfterFailuresAndWithItsEngine) {
  engine_->push({.name = "fail", .body = [] { throw 1; }});
  const Marker after_failure = engine_->mark();
  EXPECT_NO_THROW(after_failure.wait());
  EXPECT_THROW(engine_->wait_all(), OperationError);

  engine_->push({.name = "work", .body = [] {}});
  const Marker last = engine_->mark();
  engine_.reset();
  EXPECT_TRUE(last.is_finished());
  EXPECT_NO_THROW(last.wait());
}

RUNAHEAD_RUN_ON_EACH_ENGINE(EngineConformance);

// worker 0:  first (held at the gate) ................................ first
// worker 1:            second | marks 1, 2 not finished | gate opens ....... marks 1, 2 finished
TEST(Marker, WaitsForTheOldestWhenOperationsFinishOutOfOrder) {
  const auto engine = make_engine({.workers = 2});
  const VariablePtr second = make_variable();
  Gate gate;
  std::vector<int> called;
  engine->push({.name = "first", .body = [&] { gate.pass(); }});
  const Marker after_first = engine->mark([&](TimePoint) { called.push_back(1); });
  engine->push({.name = "second", .body = [] {}, .accesses = {writes(second)}});
  const Marker after_second = engine->mark([&](TimePoint) { called.push_back(2); });

  engine->wait_for(second);
  EXPECT_FALSE(after_first.is_finished());
  EXPECT_FALSE(after_second.is_finished());
  gate.open();
  after_second.wait();

  EXPECT_TRUE(after_first.is_finished());
  EXPECT_EQ(called, (std::vector<int>{1, 2}));
}

// What observers see. More of the hooks around waits is in tests/python/{processes,exits}_test.py.

using ::testing::ElementsAre;

/// Records what it sees, by operation.
class RecordingObserver final : public Observer {
 public:
  void on_push(const OperationEvent& event) noexcept override {
    note("push", event);
    accesses = accesses_of(event);
  }
  void on_ready(const OperationEvent& event) noexcept override { note("ready", event); }
  void on_start(const OperationEvent& event) noexcept override { note("start", event); }
  void on_finish(const OperationEvent& event) noexcept override {
    note(event.failed ? "failed" : event.skipped ? "skipped" : "finish", event);
  }
  void on_wait_begin(const WaitEvent& event) noexcept override { waits.push_back(event.cause); }

  std::string steps_of(std::uint64_t sequence) {
    std::string steps;
    for (const auto& [step, event] : events_of(sequence)) steps += step + " ";
    return steps;
  }
  std::vector<std::pair<std::string, OperationEvent>> events_of(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    return events_[sequence];
  }

  std::vector<Access> accesses{};  ///< Of the last push.
  std::vector<WaitCause> waits{};  ///< Of one waiting thread.

 private:
  void note(std::string step, const OperationEvent& event) noexcept {
    const std::lock_guard lock(mutex_);
    events_[event.sequence].emplace_back(std::move(step), event);
  }
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::pair<std::string, OperationEvent>>> events_;
};

class EngineObserver : public EachEngine {};

TEST_P(EngineObserver, SeesEachStepAndAccessOfEachOperationAndNoWaitThatDoesNotBlock) {
  RecordingObserver observer;
  RecordingObserver second;
  ObserverList observers({&observer, &second});
  EngineOptions options = GetParam().options();
  options.observer = &observers;
  engine_ = make_engine(options);
  const VariablePtr x = make_variable();
  const VariablePtr y = make_variable();
  engine_->wait_all();
  engine_->wait_for(x);
  EXPECT_TRUE(observer.waits.empty());
  engine_->push({.name = "works", .body = [] {}, .accesses = {writes(x)}, .cost_bytes = 12});
  engine_->push({.name = "fails", .body = [] { throw 1; }, .accesses = {writes(x)}});
  engine_->push({.name = "depends",
                 .body = [] {},
                 .accesses = {reads(x), overwrites(y), reads(x), overwrites(x)}});
  EXPECT_THROW(engine_->wait_all(), OperationError);

  for (RecordingObserver* const each : {&observer, &second}) {
    EXPECT_EQ(each->steps_of(1), "push ready start finish ");
    EXPECT_EQ(each->steps_of(2), "push ready start failed ");
    EXPECT_EQ(each->steps_of(3), "push ready skipped ");
  }
  ASSERT_EQ(observer.accesses.size(), 2U);
  EXPECT_EQ(observer.accesses[0].variable, x);
  EXPECT_EQ(observer.accesses[0].mode, AccessMode::kWrite) << "read and overwritten is changed";
  EXPECT_EQ(observer.accesses[1].variable, y);
  EXPECT_EQ(observer.accesses[1].mode, AccessMode::kOverwrite);
  const auto events = observer.events_of(1);
  ASSERT_EQ(events.size(), 4U);
  TimePoint last{};
  for (const auto& [step, event] : events) {
    EXPECT_EQ(event.name, "works");
    EXPECT_EQ(event.cost_bytes, 12U);
    EXPECT_EQ(event.body == nullptr, step == "finish") << "the body is there until it has run";
    EXPECT_LE(last, event.time);
    last = event.time;
  }
  const int workers = GetParam().workers;
  EXPECT_EQ(events[0].second.worker, -1);
  EXPECT_EQ(events[2].second.worker >= 0, workers > 0);
  EXPECT_LT(events[3].second.worker, std::max(1, workers));
}

RUNAHEAD_RUN_ON_EACH_ENGINE(EngineObserver);

/// What a waiting thread reports. The operation at the gate, as one that needs a lock of the
/// program, ends only once the hook before the wait has run.
struct Wait final : Observer {
  void on_wait_begin(const WaitEvent& event) noexcept override { causes.push_back(event.cause); }
  void on_wait_end(const WaitEvent& event) noexcept override { causes.push_back(event.cause); }

  static void* before() noexcept {
    current->gate.open();
    return current;
  }
  static void after(void* token) noexcept { ++static_cast<Wait*>(token)->tokens_back; }

  static inline Wait* current = nullptr;
  Gate gate{};
  std::vector<WaitCause> causes{};
  int tokens_back = 0;
};

TEST(EngineWaits, EachCallsTheHooksThatLetOperationsGoOnAndIsObserved) {
  const VariablePtr x = make_variable();
  const std::vector<std::pair<WaitCause, void (*)(Engine&, const VariablePtr&)>> waits{
      {WaitCause::kVariable,
       [](Engine& engine, const VariablePtr& variable) { engine.wait_for(variable); }},
      {WaitCause::kAll, [](Engine& engine, const VariablePtr&) { engine.wait_all(); }},
      {WaitCause::kMarker,
       [](Engine& engine, const VariablePtr&) { engine.wait_for(engine.mark()); }},
      {WaitCause::kLimit,
       [](Engine& engine, const VariablePtr&) { engine.push({.name = "held", .body = [] {}}); }}};
  for (const auto& [cause, wait] : waits) {
    Wait observer;
    Wait::current = &observer;
    const auto engine = make_engine({.workers = 1,
                                     .limit = {.operations = 1},
                                     .observer = &observer,
                                     .wait_hooks = {.before = Wait::before, .after = Wait::after}});
    engine->wait_for(x);
    engine->wait_all();
    EXPECT_FALSE(observer.gate.is_open()) << "nothing was waited for";
    engine->push({.name = "gated", .body = [&] { observer.gate.pass(); }, .accesses = {writes(x)}});
    wait(*engine, x);

    EXPECT_THAT(observer.causes, ElementsAre(cause, cause));
    EXPECT_EQ(observer.tokens_back, 1);
    EXPECT_NO_THROW(engine->wait_all());
  }
}

}  // namespace
}  // namespace runahead::engine::test
