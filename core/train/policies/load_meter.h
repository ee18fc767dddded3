#pragma once

#include <cstdint>
#include <mutex>

#include "core/base/clock.h"
#include "core/engine/observer.h"

namespace runahead::train {

/// What the two sides did from the end of one batch's issue to the end of the next one's.
struct BatchLoad {
  double batch_seconds = 0.0;
  /// How long at least one pushing thread was held at the run-ahead limit.
  double held_seconds = 0.0;
  /// How long the back end had fewer operations in flight than workers, but would have had more
  /// without a limit. This is at most as long as the front end had been held so far in this batch
  /// and the previous one. Idle time due to a slow source or to the first batch does not count.
  double starved_seconds = 0.0;
  std::uint64_t operations = 0;       ///< Issued.
  std::uint64_t most_in_flight = 0;   ///< Operations.
  std::uint64_t least_in_flight = 0;  ///< Since its beginning.
};

/// Measures, as an observer of the engine, how the run-ahead limit holds the front end and starves
/// the back end. Thread-safe.
class LoadMeter final : public engine::Observer {
 public:
  /// @param workers  The engine's workers, >= 1.
  explicit LoadMeter(int workers) : workers_(workers) {}

  void on_push(const engine::OperationEvent& event) noexcept override;
  void on_finish(const engine::OperationEvent& event) noexcept override;
  void on_wait_begin(const engine::WaitEvent& event) noexcept override;
  void on_wait_end(const engine::WaitEvent& event) noexcept override;

  /// Call when the first batch begins: discards what was measured before.
  void begin(TimePoint now);
  /// Call when a batch was issued and the next one begins. @return the measurements of the former.
  BatchLoad end_batch(TimePoint now);

 private:
  void advance(TimePoint now) noexcept;
  void start_batch(TimePoint now) noexcept;
  [[nodiscard]] std::uint64_t count_in_flight() const noexcept;

  mutable std::mutex mutex_;
  const int workers_;
  std::int64_t in_flight_ = 0;
  std::int64_t held_threads_ = 0;
  TimePoint last_time_{};
  TimePoint batch_begun_{};
  double lead_seconds_ = 0.0;  ///< How much further ahead the front end would be without a limit.
  BatchLoad load_{};           ///< Of the batch being issued.
};

}  // namespace runahead::train
