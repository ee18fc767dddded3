#pragma once

#include <cstdint>
#include <optional>

#include "core/train/policies/load_meter.h"

namespace runahead::train {

/// Notices when a figure has changed for good: three times in a row off by more than a fifth of
/// what it usually is, in the same direction. Follows slower changes.
class ShiftDetector {
 public:
  /// @return whether this is such a change; the figure is then what is usual.
  bool note(double figure) noexcept;

 private:
  double usual_ = 0.0;  ///< 0: nothing was noted.
  int times_off_ = 0;   ///< In a row; negative: below what is usual.
};

/// While a loop runs, finds the smallest depth (operations in flight) at which the back end never
/// starves. It needs no clock, thread or device: after each batch it chooses the next one's depth.
///
/// - **At first**, the depth is 1.25 times the operations of a batch. A wait per batch allows as
///   many in flight, too, and they are enough for a source as slow as the back end. Until the first
///   batch has been counted, there is no bound of this kind.
/// - **Lowered** after as many batches as its patience (4 at first), each of which starved for less
///   than 0.1 %, by half of what each of them had to spare: the fewest operations in flight beyond
///   one per worker, times the share of the time for which the front end was held. A front end that
///   was hardly held has little time to spare, whatever was queued. If the back end then starves,
///   the new depth was too low: the depth goes back to where it was, later falls at most half way
///   to the one that was too low, and the patience doubles, so that the depth does not oscillate.
///   With several workers it never falls below the operations of a batch, because a shorter queue
///   has fewer operations that are independent of each other.
/// - **Raised** when the limit starved the back end for more than 0.5 % of a batch: doubled, up to
///   1.25 times the operations of a batch. Beyond that it is raised by half if batches repeatedly
///   starve for more than 2 %: three in a row, or more than one in eight for long.
/// - When the time of a batch, or the front end's own share of it, has changed for good, the
///   patience is reset and the depth that was too low is forgotten.
class DepthController {
 public:
  /// A depth that bounds nothing.
  static constexpr std::uint64_t kNoDepth = std::uint64_t{1} << 32;

  /// @param workers  That execute operations, >= 1.
  explicit DepthController(int workers) noexcept;

  /// Operations that may be in flight: more than there are workers; kNoDepth before the first
  /// batch.
  [[nodiscard]] std::uint64_t depth() const noexcept { return depth_; }

  void note_batch(const BatchLoad& load) noexcept;

 private:
  void note_starved(double starved_share, std::uint64_t operations_of_a_batch) noexcept;
  void note_fed(const BatchLoad& load) noexcept;
  void lower(std::uint64_t operations_of_a_batch) noexcept;
  void forget_lowerings() noexcept;

  std::uint64_t workers_;
  std::uint64_t depth_ = kNoDepth;
  std::optional<std::uint64_t> depth_before_{};  ///< It was lowered from; nullopt: raised since.
  std::uint64_t most_too_low_ = 0;               ///< The depth last found too low; 0: none.
  int patience_;                                 ///< Batches.
  int fed_batches_ = 0;                          ///< Since the depth changed, or was to change.
  double to_spare_ = 0.0;                        ///< Operations; the least of the fed batches.
  std::uint64_t most_in_flight_before_ = 0;      ///< In the batch before.
  double insistence_ = 0.0;  ///< Batches that starved at more than a whole batch; wears off.
  ShiftDetector batch_shift_{};
  ShiftDetector front_end_shift_{};
};

}  // namespace runahead::train
