#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/train/batch_timeline.h"
#include "core/train/policies/cost_model.h"

namespace runahead::train {

/// What one batch claims beyond parameters and optimiser state, bytes.
struct BatchBytes {
  std::uint64_t queued = 0;        ///< While it is queued.
  std::uint64_t after_result = 0;  ///< Of it, what is left once what is waited for is computed.
  std::uint64_t working_set = 0;   ///< What is claimed whatever is queued.
};

/// Bytes that a batch claims while nothing of it has executed, where memory is claimed for each
/// operation (`at_issue`, `at_execution`): what is claimed between its begin and its issue; and
/// what is released between its result and its end. Medians over the batches; nothing is claimed
/// besides.
/// @return nullopt if there are no batches or the back end does not count.
[[nodiscard]] std::optional<BatchBytes> fit_batch_bytes(const std::vector<BatchEvents>& batches,
                                                        bool waits_for_loss_alone);

/// Under `in_stream_order` and `caching` operations that are queued use the same memory one after
/// the other, and a queued batch keeps its `input_bytes` on the host alone. All else is the working
/// set: what a loop of `batches` of that `shape` claimed at most, `peak_bytes`, without what was
/// queued then.
[[nodiscard]] BatchBytes fit_batch_bytes_in_stream_order(std::uint64_t input_bytes,
                                                         std::uint64_t peak_bytes,
                                                         const BatchCost& cost,
                                                         const CostShape& shape,
                                                         std::int64_t batches);

/// The most bytes claimed beyond parameters and optimiser state: the batches queued (see
/// predicted_batches_queued), what is left of the batch waited for, and the working set.
[[nodiscard]] std::uint64_t predicted_backlog_bytes(const BatchBytes& bytes, const BatchCost& cost,
                                                    const CostShape& shape, std::int64_t batches);

}  // namespace runahead::train
