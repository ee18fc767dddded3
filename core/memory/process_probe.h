#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <vector>

#include "core/memory/probe.h"
#include "core/memory/proc_file.h"

namespace runahead::memory {

/// Resident set size of a process and all its threads, from a statm file that is kept open: about 1
/// µs per reading, regardless of the size. Column `rss_bytes`. The kernel batches its counters per
/// thread, so differences under 1 MB are not significant.
class ProcessProbe final : public Probe {
 public:
  ProcessProbe();  ///< This process.
  /// Another process, which need not exist. Once its main thread has ended and others go on, only a
  /// new probe reads it.
  explicit ProcessProbe(pid_t process_id);

  [[nodiscard]] const std::vector<Column>& columns() const override { return columns_; }
  void read(std::span<Reading> readings) noexcept override;

  /// nullopt once the process, or the thread read, is gone, or if /proc is not mounted.
  /// Thread-safe.
  [[nodiscard]] Reading rss_bytes() const noexcept;

 private:
  std::vector<Column> columns_{{"rss_bytes", "RSS"}};
  ProcFile statm_;
};

/// Resident memory by how it is shared: `pss_bytes` (proportional set size: pages shared with n
/// processes counted 1/n) and `uss_bytes` (unique set size: pages of this process alone). Walks the
/// page tables (22 ms at 2 GB, holding the lock that page faults wait for): use it in a SlowLane.
[[nodiscard]] std::unique_ptr<Probe> make_proportional_set_probe();

/// The kernel's own counts for this process: `rss_high_water_bytes` (VmHWM) and, since the process
/// began, `minor_faults` (pages it was given) and `major_faults` (pages read from disk). About 11
/// µs: use it in a SlowLane.
[[nodiscard]] std::unique_ptr<Probe> make_process_status_probe();

/// Highest resident set size so far (VmHWM) of this process; nullopt if unknown. Takes about 10 µs.
[[nodiscard]] Reading peak_rss_bytes();
/// The same for another process.
[[nodiscard]] Reading peak_rss_bytes(pid_t process_id);

/// Proportional set size of another process; nullopt if it may not be read. Walks its page tables.
[[nodiscard]] Reading proportional_set_bytes(pid_t process_id);

/// Sets VmHWM of this process to its current resident set size.
/// @return Whether the system allowed it; if not, VmHWM still counts from the process's start.
bool reset_peak_rss() noexcept;

}  // namespace runahead::memory
