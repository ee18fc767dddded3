#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace runahead::apps {

/// How resident memory rises and falls. A rise is of half a GB a second, which a thousand samples a
/// second can follow to half a MB.
enum class MemoryShape {
  kRamp,      ///< Rises, and falls at once.
  kPlateau,   ///< Jumps, stays for 5 ms, and falls.
  kSawtooth,  ///< Rises and falls at once, four times, each higher than the one before.
};

/// What a sampling monitor saw of a shape.
struct SampledPeak {
  std::uint64_t sampled_bytes = 0;
  std::uint64_t counted_bytes = 0;  ///< The kernel's own count: VmHWM.
};

/// What a monitor costs.
struct MonitorCost {
  double work_seconds = 0.0;  ///< What a fixed amount of work on every CPU took.
  double cpu_share = 0.0;     ///< CPU time of the sampling thread over wall time.
  double missed_share = 0.0;  ///< Ticks missed, of all.
  double busy_share = 0.0;    ///< CPU time of the process over that of all its CPUs.
};

/// Keeps every CPU of the process busy, one thread each, and monitors this process meanwhile, with
/// the probes of a run.
class MonitorWorkload {
 public:
  /// Finds out how much work takes `seconds` on each CPU. @param seconds  > 0.
  explicit MonitorWorkload(double seconds);

  /// Does that work under a monitor; `rate_hz` 0: without. Blocks until it is done.
  [[nodiscard]] MonitorCost measure(double rate_hz) const;

  /// Moves memory through `shape`, up to `bytes`, while every CPU is busy, at 1,000 samples a
  /// second. @return nullopt where the kernel does not reset VmHWM.
  [[nodiscard]] std::optional<SampledPeak> sample(MemoryShape shape, std::uint64_t bytes) const;

 private:
  std::vector<int> cpus_;
  std::uint64_t rounds_ = 0;  ///< Of work, on each CPU.
};

}  // namespace runahead::apps
