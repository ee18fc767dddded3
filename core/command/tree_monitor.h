#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory/memory_monitor.h"
#include "core/memory/process_tree_probe.h"

namespace runahead::command {

/// What the samples of a process tree show.
struct SampledPeak {
  memory::Reading bytes{};
  double seen_seconds = 0.0;  ///< From the first sight of a process to the last of any.
};

/// The highest RSS of a process tree.
struct TreePeak {
  std::optional<std::uint64_t> bytes{};
  bool is_upper_bound = false;  ///< May be too high: it may be this process's own peak.

  bool operator==(const TreePeak&) const = default;
};

/// Samples the memory of a process tree from construction to stop(). Its slow lane samples the
/// tree's PSS and the root's cgroup. Used from one thread.
class TreeMonitor {
 public:
  using Root = memory::ProcessTreeProbe::Root;

  /// @param rate_hz  As memory::MonitorOptions.
  TreeMonitor(double rate_hz, pid_t root, Root root_counts);

  /// Finds the processes one last time and ends the sampling. Takes at most 20 ms.
  void stop();

  // Call the following only after stop().

  [[nodiscard]] const memory::MemoryMonitor& monitor() const { return *monitor_; }
  [[nodiscard]] std::vector<memory::SeenProcess> seen() const { return tree_->seen(); }

  /// The highest sample of RSS, or of the kernel's peaks of single processes that began below the
  /// root; no bytes if there was none.
  [[nodiscard]] SampledPeak sampled_peak() const;

 private:
  std::unique_ptr<memory::MemoryMonitor> monitor_;
  memory::ProcessTreeProbe* tree_ = nullptr;  ///< Owned by the monitor.
  Root root_counts_;
};

/// Processes that were seen for less time may have been sampled only while they started.
inline constexpr double kLeastSeenSeconds = 0.05;

/// The peak of the samples or, if higher, the kernel's, which catches peaks between samples. The
/// kernel's is that of a single process that this one, or one of its children, has waited for. If
/// it may be this process's own, it is only a bound, used for processes that ended at once.
/// @param own_bytes  The kernel counts the peak of a child from the fork on, so up to this much may
///        be this process's own. own_rss_peak_bytes() of the child before its exec, or of this
///        process after the command had started.
[[nodiscard]] TreePeak tree_peak(const SampledPeak& sampled, std::uint64_t own_bytes);

/// The highest RSS that this process has had.
[[nodiscard]] std::uint64_t own_rss_peak_bytes();

/// CPU time of the children that this process has waited for, and of those that they waited for.
[[nodiscard]] double waited_cpu_seconds();

}  // namespace runahead::command
