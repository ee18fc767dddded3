#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/probe.h"

namespace runahead::recording {

/// Counts of batches so far. A batch is in flight from the end of its issue until its last
/// operation finishes.
struct BatchCounts {
  std::uint64_t issued = 0;
  std::uint64_t finished = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t in_flight_peak = 0;   ///< Counted at every change, never sampled.
  std::uint64_t kept_bytes = 0;       ///< Bytes that the batches in flight keep.
  std::uint64_t kept_bytes_peak = 0;  ///< As in_flight_peak.
};

/// Counts batches as they are issued and finish, whichever component reports it. Thread-safe.
class BatchCounter {
 public:
  static constexpr std::size_t kMostFinishTimes = 100'000;  ///< Kept; later ones are only counted.

  /// Call when the front end has issued a batch, which may already have finished.
  void issue(TimePoint time, std::uint64_t kept_bytes);
  /// Call when the oldest batch in flight has finished. Does nothing once closed.
  void finish(TimePoint time, std::uint64_t kept_bytes);

  /// What finishes later does not count, because it is dropped.
  void close();

  [[nodiscard]] BatchCounts counts() const;
  /// When the last batch was issued; nullopt if none was.
  [[nodiscard]] std::optional<TimePoint> last_issued() const;
  /// When the last operation of each batch finished, for the first kMostFinishTimes batches.
  [[nodiscard]] std::vector<TimePoint> finish_times() const;

 private:
  [[nodiscard]] std::uint64_t in_flight() const;
  [[nodiscard]] std::uint64_t kept_bytes_in_flight() const;

  mutable std::mutex mutex_{};
  std::uint64_t issued_ = 0;
  std::uint64_t finished_ = 0;
  std::optional<TimePoint> last_issued_{};
  std::vector<TimePoint> finish_times_{};
  std::uint64_t in_flight_peak_ = 0;
  std::uint64_t issued_bytes_ = 0;  ///< Bytes that the batches issued so far keep or have kept.
  std::uint64_t finished_bytes_ = 0;
  std::uint64_t kept_bytes_peak_ = 0;
  bool is_closed_ = false;
};

/// Columns batches_in_flight, batches_issued, batches_finished and kept_bytes. kept_bytes is empty
/// until a batch has kept something, which never happens on `cpu` and `acpu`.
[[nodiscard]] std::unique_ptr<memory::Probe> make_batch_probe(
    std::shared_ptr<const BatchCounter> counter);

}  // namespace runahead::recording
