#pragma once

#include <torch/types.h>

#include <functional>
#include <iosfwd>

#include "core/train/back_end.h"
#include "core/train/policies/adaptive_depth.h"
#include "core/train/policies/sync_policy.h"

namespace runahead::train {

/// One way of waiting for a batch. `loss` is the batch's loss, a scalar on the device.
using LossWait = std::function<void(const torch::Tensor& loss)>;

/// The wait of the given kind, for the front end's thread:
/// - `loss_value`: reads the loss as a number (asscalar, item);
/// - `loss_ready`: until the loss is computed, without a copy (wait_to_read, block_until_ready);
/// - `host_copy`: copies the loss to a tensor on the host (asnumpy);
/// - `print`: writes "loss <value>" and a newline to `sink`, flushed;
/// - `save`: copies the loss to the host and serialises it into memory with torch::save;
/// - `all`: until nothing is in flight (waitall, synchronize).
/// `back_end` and `sink` must outlive the wait. Each may rethrow the error of an earlier operation.
[[nodiscard]] LossWait make_wait(WaitKind kind, BackEnd& back_end, std::ostream& sink);

/// A context whose waits come from make_wait. Both arguments must outlive the waiters started with
/// it.
[[nodiscard]] PolicyContext make_policy_context(BackEnd& back_end, std::ostream& sink);

}  // namespace runahead::train
