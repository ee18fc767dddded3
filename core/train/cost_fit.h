#pragma once

#include <optional>
#include <vector>

#include "core/train/batch_timeline.h"
#include "core/train/policies/cost_model.h"

namespace runahead::train {

/// How a loop that was written down worked.
struct LoopKind {
  /// Operations have finished when their call returns: the data is t1, the step t2, no overlap.
  bool executes_at_issue = false;
  /// Data is made by operations of the back end, which so has work as soon as a batch begins.
  bool makes_data_on_device = false;
  /// What a wait is for: the loss alone, else all that was issued.
  bool waits_for_loss_alone = true;
};

/// Fits the cost of a batch to what was measured of some, each figure a median over them:
/// - t1: issued − admitted, without the waits in between; t1': made − admitted, 0 if the data is
/// made on the device;
/// - t2: the back end's time from its last batch's end, or from when this one's data was made, to
///   this one's end; without what of it the front end was still issuing and nothing was executing;
/// - t2': t2 times the share of that time that had passed when the loss was computed; t2 where a
///   wait is for all that was issued;
/// - t3: from the end of what was waited for to the policy's return, of the batches for which the
///   front end really waited; if there are none, `t3_seconds`.
/// @return nullopt if `batches` is empty.
[[nodiscard]] std::optional<BatchCost> fit_batch_cost(const std::vector<BatchEvents>& batches,
                                                      const LoopKind& loop, double t3_seconds);

}  // namespace runahead::train
