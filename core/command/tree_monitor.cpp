#include "core/command/tree_monitor.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "core/base/clock.h"
#include "core/memory/cgroup.h"
#include "core/memory/slow_lane.h"

namespace runahead::command {
namespace {

/// @param who  RUSAGE_SELF, or RUSAGE_CHILDREN: the largest of any single process among those that
///        this one has waited for, and those that they waited for.
std::uint64_t rss_peak_bytes(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

TreeMonitor::TreeMonitor(double rate_hz, pid_t root, Root root_counts) : root_counts_(root_counts) {
  auto tree = std::make_unique<memory::ProcessTreeProbe>(root, root_counts);
  tree_ = tree.get();
  std::vector<std::unique_ptr<memory::Probe>> slow;
  slow.push_back(memory::make_tree_proportional_set_probe(root, root_counts));
  slow.push_back(memory::make_cgroup_probe(root));
  std::vector<std::unique_ptr<memory::Probe>> probes;
  probes.push_back(std::move(tree));
  probes.push_back(std::make_unique<memory::SlowLane>(std::move(slow)));
  monitor_ = std::make_unique<memory::MemoryMonitor>(memory::MonitorOptions{.rate_hz = rate_hz},
                                                     std::move(probes));
  monitor_->start();
}

void TreeMonitor::stop() {
  tree_->find_processes();
  monitor_->stop();
}

SampledPeak TreeMonitor::sampled_peak() const {
  SampledPeak peak{.bytes = monitor_->series().peak("rss_bytes")};
  const std::vector<memory::SeenProcess> seen = tree_->seen();
  if (seen.empty()) return peak;
  peak.seen_seconds =
      seconds_between(std::ranges::min(seen, {}, &memory::SeenProcess::first_seen).first_seen,
                      std::ranges::max(seen, {}, &memory::SeenProcess::last_seen).last_seen);
  if (root_counts_ == Root::kCounts) return peak;  // Its own peak may be older than the monitor.
  for (const memory::SeenProcess& process : seen) {
    if (process.rss_peak_bytes) {
      peak.bytes = std::max(peak.bytes.value_or(0), *process.rss_peak_bytes);
    }
  }
  return peak;
}

TreePeak tree_peak(const SampledPeak& sampled, std::uint64_t own_bytes) {
  const std::uint64_t kernels_bytes = rss_peak_bytes(RUSAGE_CHILDREN);
  const std::uint64_t sampled_bytes = sampled.bytes.value_or(0);
  // Before its exec, the child touches a few pages more than this process had.
  const bool is_own = kernels_bytes <= own_bytes + own_bytes / 8;
  const bool is_sampled_well = sampled_bytes > 0 && sampled.seen_seconds >= kLeastSeenSeconds;
  if (kernels_bytes > sampled_bytes && !(is_own && is_sampled_well)) {
    return {.bytes = kernels_bytes, .is_upper_bound = is_own};
  }
  return sampled_bytes > 0 ? TreePeak{.bytes = sampled_bytes} : TreePeak{};
}

std::uint64_t own_rss_peak_bytes() { return rss_peak_bytes(RUSAGE_SELF); }

double waited_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

}  // namespace runahead::command
