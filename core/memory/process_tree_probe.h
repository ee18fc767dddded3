#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/probe.h"
#include "core/memory/process_probe.h"
#include "core/memory/ticker.h"

namespace runahead::memory {

/// A process that a ProcessTreeProbe has found.
struct SeenProcess {
  pid_t process_id = 0;
  std::string name{};  ///< As the kernel reports it: the program's, at most 15 characters.
  TimePoint first_seen{};
  TimePoint last_seen{};
  /// The highest VmHWM that was seen (it begins again when the process executes another program);
  /// nullopt: none. If it began before the probe, and VmHWM has not grown since, the highest RSS
  /// that was seen.
  Reading rss_peak_bytes{};
};

/// Resident set sizes of a process's descendants, with or without its own. Columns `rss_bytes`,
/// their sum (pages that they share count more than once), and `processes`, their number.
///
/// The probe's own thread finds the processes, every 10 ms or as often as 2 % of a core allows; a
/// reading sums up those found so far, at about 1 µs per process. A process that lives for less
/// than that interval may be missed. All are
/// measured; seen() lists the first `most_seen`.
class ProcessTreeProbe final : public Probe {
 public:
  enum class Root { kCounts, kDoesNotCount };
  static constexpr std::size_t kMostSeen = 4096;

  /// Finds the processes that exist now, and starts the thread.
  ProcessTreeProbe(pid_t root, Root root_counts,
                   std::unique_ptr<Ticker> ticker = make_steady_ticker(),
                   std::size_t most_seen = kMostSeen);
  ~ProcessTreeProbe() override;

  [[nodiscard]] const std::vector<Column>& columns() const override { return columns_; }
  void read(std::span<Reading> readings) noexcept override;
  [[nodiscard]] double own_cpu_seconds() const noexcept override {
    return cpu_seconds_.load(std::memory_order_relaxed);
  }

  /// Finds the processes that exist now. Thread-safe.
  void find_processes();

  /// The first `most_seen` processes, in the order in which they were found. Thread-safe.
  [[nodiscard]] std::vector<SeenProcess> seen() const;

 private:
  /// One process, and the file from which its size is read.
  struct Member {
    Member(pid_t number, std::uint64_t start, std::optional<std::size_t> index)
        : process_id(number), start_ticks(start), seen_index(index), probe(number) {}
    pid_t process_id;
    std::uint64_t start_ticks;  ///< Since the machine's start: with its ID, it is unmistakable.
    std::optional<std::size_t> seen_index;  ///< None if it is not listed.
    ProcessProbe probe;
  };
  using Members = std::map<pid_t, std::shared_ptr<Member>>;

  void run(const std::stop_token& stop) noexcept;
  [[nodiscard]] std::shared_ptr<Member> find_member(pid_t process_id, std::uint64_t start_ticks,
                                                    TimePoint now);
  [[nodiscard]] std::optional<std::size_t> list(pid_t process_id, std::uint64_t start_ticks,
                                                TimePoint now);
  void note_seen(const Member& member, std::string name, TimePoint now);

  const std::vector<Column> columns_{"rss_bytes", "processes"};
  const pid_t root_;
  const Root root_counts_;
  std::unique_ptr<Ticker> ticker_;
  const std::size_t most_seen_;

  mutable std::mutex finding_mutex_{};
  Members found_{};                            ///< Guarded by finding_mutex_, like seen_.
  std::vector<SeenProcess> seen_{};            ///< The first ever found.
  std::vector<Reading> peaks_before_bytes_{};  ///< VmHWM of each of them when the probe began.
  /// Their places there, by process ID and start: the kernel may leave a process out of a list that
  /// is read while others end, and list it again the next time.
  std::map<std::pair<pid_t, std::uint64_t>, std::size_t> places_{};

  // Hands a new list to the reader, which neither waits nor frees memory: the new list goes one
  // way, and the old one comes back.
  std::mutex handover_mutex_{};
  std::unique_ptr<const Members> offered_{};
  std::unique_ptr<const Members> returned_{};
  std::unique_ptr<const Members> read_;  ///< The reader's own.

  std::atomic<double> cpu_seconds_{0.0};
  std::jthread thread_{};
};

/// Proportional set size of a process's descendants, with or without its own: column `pss_bytes`.
/// Walks page tables (22 ms at 2 GB): use it in a SlowLane. Only root may read other users'
/// processes; nullopt if no process could be read.
[[nodiscard]] std::unique_ptr<Probe> make_tree_proportional_set_probe(
    pid_t root, ProcessTreeProbe::Root root_counts);

}  // namespace runahead::memory
