#pragma once

#include <atomic>
#include <cstddef>
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

/// Blocks for so long that readings take at most `share` of a core, cost / share, at least 10 ms,
/// or until a stop is requested.
/// @param cost_seconds  CPU time of the last reading.
/// @param share         In (0, 1].
void pause_after(double cost_seconds, double share, Ticker& ticker,
                 const std::stop_token& stop) noexcept;

/// Reads costly probes on its own thread, and passes each new reading on once: in between, its
/// readings are nullopt (not measured at that sample). The probes divide a share of one core
/// equally. Each is read as often as its part allows, at most 100 times per second, so an expensive
/// probe does not delay a cheap one.
class SlowLane final : public Probe {
 public:
  /// Starts the thread; it ends with the object.
  /// @param share  Fraction of one core for the readings, in (0, 1]; waking up adds up to 0.2 %.
  explicit SlowLane(std::vector<std::unique_ptr<Probe>> probes, double share = 0.005,
                    std::unique_ptr<Ticker> ticker = make_steady_ticker());
  ~SlowLane() override;

  [[nodiscard]] const std::vector<Column>& columns() const override { return columns_; }
  void read(std::span<Reading> readings) noexcept override;
  [[nodiscard]] double own_cpu_seconds() const noexcept override {
    return cpu_seconds_.load(std::memory_order_relaxed);
  }

 private:
  /// A probe, its first column's index, and when it is read next.
  struct Lane {
    std::unique_ptr<Probe> probe{};
    std::size_t first_column = 0;
    TimePoint due{};
    bool is_new = false;  ///< Guarded by mutex_.
  };

  void run(const std::stop_token& stop) noexcept;
  void read_if_due(Lane& lane, std::span<Reading> scratch) noexcept;

  std::vector<Lane> lanes_{};
  double share_of_each_;
  std::unique_ptr<Ticker> ticker_;
  std::vector<Column> columns_{};
  std::atomic<double> cpu_seconds_{0.0};

  std::mutex mutex_{};
  std::vector<Reading> newest_{};  ///< Guarded by mutex_.

  std::jthread thread_{};
};

/// The slow lane of every experiment, at most 1 % of a core: the columns of the proportional set,
/// of the process's status, of the heap and of the cgroup.
[[nodiscard]] std::unique_ptr<Probe> make_slow_lane(double share = 0.005);

}  // namespace runahead::memory
