#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "core/engine/observed_accesses.h"
#include "core/engine/observer_list.h"
#include "support/gate.h"

// What observers see, and what the hooks around waits are for.
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
  void on_wait_begin(const WaitEvent& event) noexcept override { note_wait("begin", event); }
  void on_wait_end(const WaitEvent& event) noexcept override { note_wait("end", event); }

  std::string waits() {
    const std::lock_guard lock(mutex_);
    return waits_;
  }
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
  EngineObserver() {
    EngineOptions options = GetParam().options();
    options.observer = &observers_;
    engine_ = make_engine(options);
  }

  RecordingObserver observer_;
  RecordingObserver second_;
  ObserverList observers_{{&observer_, &second_}};
  const VariablePtr x_ = make_variable();
  std::unique_ptr<Engine> engine_;
};

TEST_P(EngineObserver, SeesEachStepOfEachOperation) {
  engine_->push({.name = "works", .body = [] {}, .accesses = {writes(x_)}, .cost_bytes = 12});
  engine_->push({.name = "fails", .body = [] { throw 1; }, .accesses = {writes(x_)}});
  engine_->push({.name = "depends", .body = [] {}, .accesses = {reads(x_)}});
  EXPECT_THROW(engine_->wait_all(), OperationError);

  for (RecordingObserver* const observer : {&observer_, &second_}) {
    EXPECT_EQ(observer->steps_of(1), "push ready start finish ");
    EXPECT_EQ(observer->steps_of(2), "push ready start failed ");
    EXPECT_EQ(observer->steps_of(3), "push ready skipped ");
  }
}

TEST_P(EngineObserver, SeesWhatRanWhereAndWhen) {
  engine_->push({.name = "works", .body = [] {}, .cost_bytes = 12});
  engine_->wait_all();

  const auto events = observer_.events_of(1);
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

TEST_P(EngineObserver, SeesEachAccessOnce) {
  const VariablePtr y = make_variable();
  engine_->push({.name = "works",
                 .body = [] {},
                 .accesses = {reads(x_), overwrites(y), reads(x_), overwrites(x_)}});
  engine_->wait_all();

  ASSERT_EQ(observer_.accesses.size(), 2U);
  EXPECT_EQ(observer_.accesses[0].variable, x_);
  EXPECT_EQ(observer_.accesses[0].mode, AccessMode::kWrite) << "read and overwritten is changed";
  EXPECT_EQ(observer_.accesses[1].variable, y);
  EXPECT_EQ(observer_.accesses[1].mode, AccessMode::kOverwrite);
  EXPECT_TRUE(accesses_of(OperationEvent()).empty());
}

TEST_P(EngineObserver, SeesNoWaitThatDoesNotBlock) {
  engine_->wait_all();
  engine_->wait_for(x_);

  EXPECT_EQ(observer_.waits(), "");
}

RUNAHEAD_RUN_ON_EACH_ENGINE(EngineObserver);

/// Opens the gate when a thread begins to wait.
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

TEST(EngineWaitObserver, SeesTheBeginTheEndAndTheCauseOfEachWait) {
  const VariablePtr x = make_variable();
  const std::vector<std::pair<WaitCause, void (*)(Engine&, const VariablePtr&)>> waits{
      {WaitCause::kVariable,
       [](Engine& engine, const VariablePtr& variable) { engine.wait_for(variable); }},
      {WaitCause::kAll, [](Engine& engine, const VariablePtr&) { engine.wait_all(); }},
      {WaitCause::kLimit,
       [](Engine& engine, const VariablePtr&) { engine.push({.name = "held", .body = [] {}}); }}};
  for (const auto& [cause, wait] : waits) {
    Gate gate;
    OpeningObserver observer(gate);
    const auto engine =
        make_engine({.workers = 1, .limit = {.operations = 1}, .observer = &observer});
    engine->push({.name = "gated", .body = [&] { gate.pass(); }, .accesses = {writes(x)}});
    wait(*engine, x);

    EXPECT_THAT(observer.causes, ElementsAre(cause, cause));
  }
}

/// Stands for the interpreter lock of an embedding program: a thread that waits for the engine
/// releases it.
class ProgramLock {
 public:
  ProgramLock() : lock_(mutex) { is_mine = true; }
  ~ProgramLock() { is_mine = false; }
  ProgramLock(const ProgramLock&) = delete;
  ProgramLock& operator=(const ProgramLock&) = delete;

  [[nodiscard]] static WaitHooks hooks() { return {.before = release, .after = take_back}; }
  static inline std::mutex mutex{};
  static inline thread_local bool is_mine = false;
  static inline std::atomic<int> waits{0};

 private:
  static void* release() noexcept {
    ++waits;
    if (!is_mine) return nullptr;
    is_mine = false;
    mutex.unlock();
    return &mutex;
  }
  static void take_back(void* token) noexcept {
    if (token == nullptr) return;
    mutex.lock();
    is_mine = true;
  }
  const std::lock_guard<std::mutex> lock_;
};

Operation needs_program_lock(const VariablePtr& variable) {
  return {.name = "needs the lock",
          .body = [] { const std::lock_guard lock(ProgramLock::mutex); },
          .accesses = {writes(variable)}};
}

TEST(EngineWaitHooks, EveryWaitLetsOperationsHaveTheProgramsLock) {
  const auto engine =
      make_engine({.workers = 1, .limit = {.operations = 1}, .wait_hooks = ProgramLock::hooks()});
  const VariablePtr x = make_variable();
  ProgramLock::waits = 0;
  engine->wait_for(x);
  engine->wait_all();
  EXPECT_EQ(ProgramLock::waits, 0) << "nothing was waited for";

  const ProgramLock held;
  engine->push(needs_program_lock(x));
  engine->wait_for(x);
  EXPECT_EQ(engine->in_flight(), 0U);
  for (int i = 0; i < 100; ++i) engine->push(needs_program_lock(x));
  engine->wait_all();
  EXPECT_EQ(engine->in_flight(), 0U);
  EXPECT_TRUE(ProgramLock::is_mine);
}

TEST(EngineWaitHooks, TwoThreadsAtTheLimitDoNotWaitForEachOthersLocks) {
  const auto engine =
      make_engine({.workers = 1, .limit = {.operations = 1}, .wait_hooks = ProgramLock::hooks()});
  const VariablePtr x = make_variable();
  const auto push_many = [&] {
    for (int i = 0; i < 500; ++i) {
      const ProgramLock held;
      engine->push(needs_program_lock(x));
    }
  };
  std::thread other(push_many);
  push_many();
  other.join();
  engine->wait_all();
  EXPECT_GT(ProgramLock::waits, 0);
}

/// What a program's check throws to end a wait.
struct Interruption {};

TEST(EngineWaitHooks, TheCheckEndsEveryWaitAndTheOperationsGoOn) {
  static std::atomic<bool> is_interrupted;
  is_interrupted = true;
  const auto engine =
      make_engine({.workers = 1, .limit = {.operations = 1}, .wait_hooks = {.check = [] {
                                                               if (is_interrupted)
                                                                 throw Interruption();
                                                             }}});
  const VariablePtr x = make_variable();
  Gate may_go_on;
  engine->push({.name = "long", .body = [&] { may_go_on.pass(); }, .accesses = {overwrites(x)}});
  bool was_pushed = false;
  const auto push = [&] {
    engine->push({.name = "held", .body = [&] { was_pushed = true; }, .accesses = {writes(x)}});
  };

  EXPECT_THROW(engine->wait_for(x), Interruption);
  EXPECT_THROW(engine->wait_all(), Interruption);
  EXPECT_THROW(push(), Interruption);
  EXPECT_THROW(engine->mark().wait([] { throw Interruption(); }), Interruption);
  EXPECT_EQ(engine->in_flight(), 1U);

  is_interrupted = false;
  may_go_on.open();
  engine->wait_all();
  EXPECT_FALSE(was_pushed);
  push();
  engine->wait_for(x);
  EXPECT_TRUE(was_pushed);
}

TEST(EngineWaitHooks, AThreadThatWaitsForAnothersBodyInTheNaiveEngineReleasesTheLock) {
  const auto engine = make_engine({.workers = 0, .wait_hooks = ProgramLock::hooks()});
  Gate is_running;
  Gate may_go_on;
  std::thread other([&] {
    engine->push({.name = "first", .body = [&] {
                    is_running.open();
                    may_go_on.pass();
                    const std::lock_guard lock(ProgramLock::mutex);
                  }});
  });
  is_running.pass();
  {
    const ProgramLock held;
    may_go_on.open();
    engine->push({.name = "second", .body = [] {}});
  }
  other.join();
}

}  // namespace
}  // namespace runahead::engine::test
