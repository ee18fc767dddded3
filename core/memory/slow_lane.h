#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/probe.h"
#include "core/memory/ticker.h"

namespace runahead::memory {

/// How long to wait before the next reading, so that readings take at most `share` of a core:
/// cost / share, at least 10 ms.
/// @param cost_seconds  CPU time that the last reading took.
/// @param share         In (0, 1].
[[nodiscard]] double slow_lane_pause_seconds(double cost_seconds, double share) noexcept;

/// Blocks for as long, or until a stop is requested.
void pause_after(double cost_seconds, double share, Ticker& ticker,
                 const std::stop_token& stop) noexcept;

/// Reads costly probes on a thread of its own, as often as a share of one core allows, and hands
/// each new reading on once: in between, its readings are nullopt (not measured at that sample).
class SlowLane final : public Probe {
 public:
  /// Starts the thread; it ends with the object.
  /// @param share  Of one core, in (0, 1].
  explicit SlowLane(std::vector<std::unique_ptr<Probe>> probes, double share = 0.01,
                    std::unique_ptr<Ticker> ticker = make_steady_ticker());
  ~SlowLane() override;

  [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }
  void read(std::span<Reading> readings) noexcept override;

 private:
  void run(const std::stop_token& stop) noexcept;

  std::vector<std::unique_ptr<Probe>> probes_;
  double share_;
  std::unique_ptr<Ticker> ticker_;
  std::vector<std::string> columns_;

  std::mutex mutex_{};
  std::vector<Reading> newest_;  ///< Guarded by mutex_.
  bool is_new_ = false;          ///< Guarded by mutex_.

  std::jthread thread_{};
};

/// The slow lane of every experiment: columns `pss_bytes`, `cgroup_bytes`, at most 1 % of a core.
[[nodiscard]] std::unique_ptr<Probe> make_slow_lane();

}  // namespace runahead::memory
