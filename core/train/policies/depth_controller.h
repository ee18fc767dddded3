#pragma once

#include <cstdint>
#include <optional>

#include "core/train/policies/load_meter.h"

namespace runahead::train {

/// Detects when a figure has changed for good: three times in a row it is off by more than a fifth
/// of its usual value, in the same direction. Follows slower changes.
class ShiftDetector {
 public:
  /// @return whether this is such a change; the figure then becomes the usual value.
  bool note(double figure) noexcept;

 private:
  double usual_ = 0.0;  ///< 0: nothing noted yet.
  int times_off_ = 0;   ///< In a row; negative: below the usual value.
};

/// While a loop runs, finds the smallest depth (operations in flight) at which the back end never
/// starves. It needs no clock, thread or device: after each batch it chooses the next one's depth.
///
/// - **At first**, the depth is 1.25 times the operations of a batch. A wait per batch allows about
///   as many in flight, and they are enough for a source as slow as the back end. Until the first
///   batch has been counted, there is no bound of this kind.
/// - **Lowered** after as many batches as its patience (4 at first), each of which starved for less
///   than 0.1 %, by half of what each of them had to spare: the fewest operations in flight beyond
///   one per worker, times the fraction of time for which the front end was held. A front end that
///   was hardly held has little time to spare, regardless of what was queued. If the back end then
///   starves, the new depth was too low: the depth returns to its previous value, later falls at
///   most halfway to the one that was too low, and the patience doubles, so that the depth does not
///   oscillate. With several workers it never falls below the operations of a batch, because a
///   shorter queue has fewer operations that are independent of each other.
/// - **Raised** when the limit starved the back end for more than 0.5 % of a batch: doubled, up to
///   1.25 times the operations of a batch. Beyond that it is raised by half if batches repeatedly
///   starve for more than 2 %: three in a row, or more than one in eight for long.
/// - When the time of a batch, or the front end's own share of it, has changed for good, the
///   patience is reset and the depth that was too low is forgotten.
class DepthController {
 public:
  /// A depth that bounds nothing.
  static constexpr std::uint64_t kNoDepth = std::uint64_t{1} << 32;

  /// @param workers  Workers that execute operations, >= 1.
  explicit DepthController(int workers) noexcept;

  /// Operations that may be in flight: always more than the workers; kNoDepth before the first
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
  std::optional<std::uint64_t> depth_before_{};  ///< Depth before lowering; nullopt: raised since.
  std::uint64_t most_too_low_ = 0;               ///< The depth last found too low; 0: none.
  int patience_;                                 ///< In batches.
  int fed_batches_ = 0;                          ///< Since the last change or attempt to lower.
  double to_spare_ = 0.0;                        ///< Operations; the least of the fed batches.
  std::uint64_t most_in_flight_before_ = 0;      ///< In the previous batch.
  double insistence_ = 0.0;  ///< Starved batches at a depth above a whole batch; decays.
  ShiftDetector batch_shift_{};
  ShiftDetector front_end_shift_{};
};

}  // namespace runahead::train
