#include "core/engine/spin.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <thread>

#include "core/base/affinity.h"
#include "core/base/clock.h"

namespace runahead::engine {
namespace {

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
}  // namespace runahead::engine
