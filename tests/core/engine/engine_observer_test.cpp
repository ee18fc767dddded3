#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "core/engine/observed_accesses.h"
#include "core/engine/observer_list.h"
#include "support/gate.h"

// What observers see. More of the hooks around waits is in tests/python/{processes,exits}_test.py.
namespace runahead::engine::test {
namespace {

using runahead::test::Gate;
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
