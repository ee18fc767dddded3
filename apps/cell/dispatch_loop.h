#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/train/back_end.h"

namespace runahead::cell {

/// A warm-up runs one in this many of the measured calls.
inline constexpr std::int64_t kWarmupShare = 10;
inline constexpr double kMicrosecondsPerSecond = 1e6;

/// One operator that is issued repeatedly. `issue` issues it once, never waits, and returns the
/// tensor that holds its result until the next call.
struct OperatorLoop {
  std::string name{};
  std::int64_t operations = 0;  ///< Calls per measurement.
  std::function<const torch::Tensor&()> issue{};
};

/// The operators of `bench dispatch`, their operands on `device`, float32:
/// - `plus_one`: y = x + 1, x (1,2); `chained`: x = x + 1; `inplace`: x += 1; 100,000 times each;
/// - `matmul64`: y = a.mm(b), both (64,64); 10,000 times.
[[nodiscard]] std::vector<OperatorLoop> make_operator_loops(torch::Device device);

/// The cost of a loop. Times are in µs per call.
struct LoopFigures {
  double issue_us = 0.0;   ///< Until the front end had issued the last call.
  double total_us = 0.0;   ///< Until the device was idle, with one wait at the end.
  double waited_us = 0.0;  ///< With a wait for each result.
  /// CPU time over wall time of the calling thread while it issued. Near 1 unless something else
  /// used its CPU.
  double front_end_cpu_share = 0.0;
  /// The same for all other threads of the process, from the first call until the device was idle.
  double other_threads_cpu_share = 0.0;
};

/// Measures calls with one wait at the end, from its construction on.
class OnceTimer {
 public:
  [[nodiscard]] TimePoint begun() const { return begun_; }
  /// All calls were issued at `time`, which is now.
  void note_issued(TimePoint time = Clock::now());
  /// The device is idle: sets all figures but `waited_us`.
  void finish(std::int64_t calls, LoopFigures& figures) const;

 private:
  double process_cpu_seconds_ = process_cpu_seconds();
  double front_end_cpu_seconds_ = thread_cpu_seconds();
  TimePoint begun_ = Clock::now();
  TimePoint issued_{};
  double issuing_cpu_seconds_ = 0.0;
};

/// After a warm-up of a tenth of the calls, runs `loop` with one wait at the end, and then with a
/// wait for each result. Nothing else may be in flight.
[[nodiscard]] LoopFigures measure(const OperatorLoop& loop, train::BackEnd& back_end);

}  // namespace runahead::cell
