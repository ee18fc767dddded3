#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/train/policies/choice_series.h"

namespace runahead::train {

/// What the loop observed after issuing a batch.
struct WindowLoad {
  bool was_held = false;         ///< Whether the window held the front end before it.
  std::uint64_t in_reserve = 0;  ///< Earlier batches that had not finished.
};

/// The sync policy `adaptive` for a device whose operations the loop does not see (`cuda`). While
/// the loop runs, it finds the fewest batches in flight at which the back end always has one in
/// reserve. It needs no clock, thread or device: after each batch it chooses for the next one.
///
/// - **Two at first**, and never fewer: with one, the back end starves once per batch.
/// - **Raised** by one when a batch that the window held was issued with nothing in reserve: the
///   back end had run dry, or was about to.
/// - **Lowered** after as many held batches as its patience (8 at first), by half of the reserve
///   that each of them had beyond one batch. A lowering that leaves nothing in reserve is undone,
///   and the patience doubles.
/// - A batch that was not held carries no information: the front end is the slower side, or
///   something else bounds it.
class AdaptiveWindow {
 public:
  static constexpr std::uint64_t kFirstBatches = 2;
  static constexpr std::uint64_t kMostBatches = 1024;

  AdaptiveWindow();

  /// Call when a batch was issued. Front end only; never blocks.
  void note_batch(const WindowLoad& load);
  /// Discards the choices but keeps the current window; counts batches from 0. Front end only.
  void restart_series();

  /// Batches that may be in flight. Any thread.
  [[nodiscard]] std::uint64_t batches() const;
  /// The windows chosen, in batches, oldest first. Any thread.
  [[nodiscard]] std::vector<Choice> choices() const;

 private:
  void note_starved();
  void note_fed(std::uint64_t in_reserve);
  void choose(std::uint64_t batches);

  mutable std::mutex mutex_{};  ///< Guards what follows.
  std::uint64_t batches_ = kFirstBatches;
  std::uint64_t batches_before_ = 0;  ///< The window before lowering; 0: raised since.
  int patience_;                      ///< In batches.
  int fed_batches_ = 0;               ///< Held batches since the last choice.
  std::uint64_t least_in_reserve_ = 0;
  ChoiceSeries series_{};
};

}  // namespace runahead::train
