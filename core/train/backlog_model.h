#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/train/batch_timeline.h"
#include "core/train/policies/cost_model.h"

namespace runahead::train {

/// Bytes that one batch claims beyond parameters and optimiser state.
struct BatchBytes {
  std::uint64_t queued = 0;        ///< While it is queued.
  std::uint64_t after_result = 0;  ///< The part left once the awaited result is computed.
  std::uint64_t working_set = 0;   ///< Claimed regardless of what is queued.
};

/// Fits a batch's bytes if memory is claimed per operation (`at_issue`, `at_execution`). `queued`
/// is what is claimed from the batch's start to the end of its issue, before any of it has
/// executed; `after_result` is what is released from its result to its end. Both are medians over
/// the batches. There is no working set.
/// @return nullopt if there are no batches or the back end does not count.
[[nodiscard]] std::optional<BatchBytes> fit_batch_bytes(const std::vector<BatchEvents>& batches,
                                                        bool waits_for_loss_alone);

/// Under `in_stream_order` and `caching`, queued operations use the same memory one after another,
/// so a queued batch keeps only its `input_bytes`, on the host. Everything else is the working set:
/// `peak_bytes`, the most that a loop of `batches` batches of that `shape` claimed, minus what was
/// queued at that moment.
[[nodiscard]] BatchBytes fit_batch_bytes_in_stream_order(std::uint64_t input_bytes,
                                                         std::uint64_t peak_bytes,
                                                         const BatchCost& cost,
                                                         const CostShape& shape,
                                                         std::int64_t batches);

/// The most bytes claimed beyond parameters and optimiser state: the queued batches (see
/// predicted_batches_queued), what is left of the awaited batch, and the working set.
[[nodiscard]] std::uint64_t predicted_backlog_bytes(const BatchBytes& bytes, const BatchCost& cost,
                                                    const CostShape& shape, std::int64_t batches);

}  // namespace runahead::train
