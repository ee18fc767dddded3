#include "apps/cell/cpu_round_trip.h"

#include <atomic>
#include <thread>

#include "core/base/affinity.h"
#include "core/base/clock.h"

namespace runahead::cell {
namespace {

constexpr int kRoundTrips = 100'000;
constexpr double kNanosecondsPerSecond = 1e9;

/// Whose turn it is: even for the front end, odd for the worker.
class alignas(64) Turn {
 public:
  void wait_for(int turn) const {
    while (turn_.load(std::memory_order_acquire) != turn) {
    }
  }
  void end(int turn) { turn_.store(turn + 1, std::memory_order_release); }

 private:
  std::atomic<int> turn_{-1};  // The worker starts the first turn.
};

}  // namespace

std::optional<double> measure_cpu_round_trip_ns(const experiment::ThreadPlacement& placement) {
  if (!placement.front_end_cpu || placement.worker_cpus.front() == *placement.front_end_cpu) {
    return std::nullopt;
  }
  Turn turn;
  const std::jthread worker([&turn, cpu = placement.worker_cpus.front()] {
    pin_calling_thread(cpu);
    turn.end(-1);
    for (int i = 0; i < kRoundTrips; ++i) {
      turn.wait_for(2 * i + 1);
      turn.end(2 * i + 1);
    }
  });
  turn.wait_for(0);
  const TimePoint begun = Clock::now();
  for (int i = 0; i < kRoundTrips; ++i) {
    turn.wait_for(2 * i);
    turn.end(2 * i);
  }
  turn.wait_for(2 * kRoundTrips);
  return seconds_between(begun, Clock::now()) * kNanosecondsPerSecond / kRoundTrips;
}

}  // namespace runahead::cell
