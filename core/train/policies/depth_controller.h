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

/// Finds while running the smallest depth (operations in flight) at which the back end never
/// starves. No clock, no thread, no device: after each batch it chooses the depth of the next.
///
/// - **First** as deep as a batch has operations, and a quarter: what a wait per batch lets be in
///   flight as well, and enough for a source as slow as the back end. Before a batch was counted
///   there is no bound of this kind.
/// - **Lowered** after as many batches as its patience, 4 at first, each of which starved for less
///   than 0.1 %, by half of what each of them had to spare: the fewest operations in flight beyond
///   one a worker, times the share of the time for which the front end was held. A front end that
///   was hardly held has little time to spare, whatever was queued. If lowering starves, it was too
///   low: back to where it was, from there at most half way to what was too low, and the patience
///   doubles, so that the depth does not oscillate.
///   With several workers never below the operations of a batch: a shorter queue has fewer that are
///   independent of each other.
/// - **Raised** when the limit starved the back end for more than 0.5 % of a batch: doubled, up to
///   a batch and a quarter. Beyond that by half, when batches starve for more than 2 % again and
///   again: three in a row, or for long more often than every eighth.
/// - The patience is as at first again, and what was too low forgotten, when the time of a batch,
///   or the front end's own share of it, has changed.
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
