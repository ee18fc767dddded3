#pragma once

#include <optional>
#include <vector>

#include "core/train/batch_timeline.h"
#include "core/train/policies/cost_model.h"

namespace runahead::train {

/// How a recorded loop operated.
struct LoopKind {
  /// Operations have finished when their calls return: making the data is t1, the step is t2, and
  /// the two do not overlap.
  bool executes_at_issue = false;
  /// Data is made by back-end operations, so the back end has work as soon as a batch begins.
  bool makes_data_on_device = false;
  /// Whether a wait is for the loss alone; otherwise it is for everything issued.
  bool waits_for_loss_alone = true;
};

/// Fits the cost of a batch to the measured `batches`. Each figure is a median over them:
/// - t1: issued − admitted, excluding the waits in between; t1': made − admitted, 0 if the data is
///   made on the device;
/// - t2: from the end of the previous batch, or from when this batch's data was made if that was
///   later, to the end of this batch, excluding the time in which the front end was still issuing
///   and nothing was executing;
/// - t2': t2 times the fraction of that interval that had passed when the loss was computed; t2 if
///   a wait is for everything issued;
/// - t3: from when the awaited work had finished to the policy's return, over the batches for which
///   the front end actually waited; `t3_seconds` if there are none.
/// @return nullopt if `batches` is empty.
[[nodiscard]] std::optional<BatchCost> fit_batch_cost(const std::vector<BatchEvents>& batches,
                                                      const LoopKind& loop, double t3_seconds);

}  // namespace runahead::train
