#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "core/engine/engine.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

/// Stands for the interpreter lock of an embedding program: who waits for the engine lets go of it.
class ProgramLock {
 public:
  [[nodiscard]] static WaitHooks hooks() { return {.before = let_go, .after = take_back}; }
  static inline std::mutex mutex{};
  static inline thread_local bool is_mine = false;
  static inline std::atomic<int> waits{0};

 private:
  static void* let_go() noexcept {
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
};

class HoldsProgramLock {
 public:
  HoldsProgramLock() : lock_(ProgramLock::mutex) { ProgramLock::is_mine = true; }
  ~HoldsProgramLock() { ProgramLock::is_mine = false; }
  HoldsProgramLock(const HoldsProgramLock&) = delete;
  HoldsProgramLock& operator=(const HoldsProgramLock&) = delete;

 private:
  const std::lock_guard<std::mutex> lock_;
};

Operation needs_program_lock(const VariablePtr& variable) {
  return {.name = "needs the lock",
          .body = [] { const std::lock_guard lock(ProgramLock::mutex); },
          .accesses = {{variable, AccessMode::kWrite}}};
}

class EngineWaitHooks : public ::testing::Test {
 protected:
  EngineWaitHooks() { ProgramLock::waits = 0; }

  const VariablePtr x_ = make_variable();
};

TEST_F(EngineWaitHooks, WaitForLetsOperationsHaveTheLock) {
  const auto engine = make_engine({.workers = 1, .wait_hooks = ProgramLock::hooks()});
  const HoldsProgramLock held;
  engine->push(needs_program_lock(x_));
  engine->wait_for(x_);
  EXPECT_EQ(engine->in_flight(), 0U);
  EXPECT_TRUE(ProgramLock::is_mine);
}

TEST_F(EngineWaitHooks, WaitAllLetsOperationsHaveTheLock) {
  const auto engine = make_engine({.workers = 1, .wait_hooks = ProgramLock::hooks()});
  const HoldsProgramLock held;
  engine->push(needs_program_lock(x_));
  engine->wait_all();
  EXPECT_EQ(engine->in_flight(), 0U);
  EXPECT_TRUE(ProgramLock::is_mine);
}

TEST_F(EngineWaitHooks, PushHeldAtTheLimitLetsOperationsHaveTheLock) {
  const auto engine =
      make_engine({.workers = 1, .limit = {.operations = 1}, .wait_hooks = ProgramLock::hooks()});
  {
    const HoldsProgramLock held;
    for (int i = 0; i < 100; ++i) engine->push(needs_program_lock(x_));
    EXPECT_TRUE(ProgramLock::is_mine);
  }
  engine->wait_all();
}

TEST_F(EngineWaitHooks, TwoPushingThreadsAtTheLimitDoNotWaitForEachOthersLocks) {
  const auto engine =
      make_engine({.workers = 1, .limit = {.operations = 1}, .wait_hooks = ProgramLock::hooks()});
  const auto push_many = [&] {
    for (int i = 0; i < 500; ++i) {
      const HoldsProgramLock held;
      engine->push(needs_program_lock(x_));
    }
  };
  std::thread other(push_many);
  push_many();
  other.join();
  engine->wait_all();
  EXPECT_GT(ProgramLock::waits, 0);
}

TEST_F(EngineWaitHooks, AThreadThatWaitsForAnothersBodyInTheNaiveEngineLetsGo) {
  const auto engine = make_engine({.workers = 0, .wait_hooks = ProgramLock::hooks()});
  Gate is_running;
  Gate may_go_on;
  std::thread other([&] {
    engine->push({.name = "first",
                  .body =
                      [&] {
                        is_running.open();
                        may_go_on.pass();
                        const std::lock_guard lock(ProgramLock::mutex);
                      },
                  .accesses = {{x_, AccessMode::kWrite}}});
  });
  is_running.pass();
  {
    const HoldsProgramLock held;
    may_go_on.open();
    engine->push({.name = "second", .body = [] {}});
  }
  other.join();
}

TEST_F(EngineWaitHooks, AreNotCalledWhereNothingIsWaitedFor) {
  const auto engine = make_engine({.workers = 1, .wait_hooks = ProgramLock::hooks()});
  engine->wait_for(x_);
  engine->wait_all();
  EXPECT_EQ(ProgramLock::waits, 0);
}

}  // namespace
}  // namespace runahead::engine::test
