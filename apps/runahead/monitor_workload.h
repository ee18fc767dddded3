#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace runahead::apps {

/// How resident memory rises and falls. It rises by half a GB per second, which a thousand samples
/// per second can follow to within half a MB.
enum class MemoryShape {
  kRamp,      ///< Rises, then falls abruptly.
  kPlateau,   ///< Jumps, stays for 5 ms, and falls.
  kSawtooth,  ///< Four ramps, each higher than the one before.
};

/// The peak of a shape, as sampled by a monitor and as counted.
struct SampledPeak {
  std::uint64_t sampled_bytes = 0;
  std::uint64_t counted_bytes = 0;  ///< The kernel's own count: VmHWM.
};

/// The cost of a monitor.
struct MonitorCost {
  double work_seconds = 0.0;  ///< Time of a fixed amount of work on every CPU.
  double cpu_share = 0.0;     ///< CPU time of the sampling thread over wall time.
  double missed_share = 0.0;  ///< Share of missed ticks.
  double busy_share = 0.0;    ///< CPU time of the process over that of all its CPUs.
};

/// Keeps every CPU of the process busy, with one thread each, while monitoring this process with
/// the probes of a run.
class MonitorWorkload {
 public:
  /// Determines how much work takes `seconds` on each CPU. @param seconds  > 0.
  explicit MonitorWorkload(double seconds);

  /// Does that work under a monitor, or without one if `rate_hz` is 0. Blocks until it is done.
  [[nodiscard]] MonitorCost measure(double rate_hz) const;

  /// Moves memory through `shape`, up to `bytes`, while every CPU is busy, at 1,000 samples per
  /// second. @return nullopt if the kernel does not reset VmHWM.
  [[nodiscard]] std::optional<SampledPeak> sample(MemoryShape shape, std::uint64_t bytes) const;

 private:
  std::vector<int> cpus_;
  std::uint64_t rounds_ = 0;  ///< Rounds of work on each CPU.
};

}  // namespace runahead::apps
