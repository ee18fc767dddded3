#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "core/train/policies/sync_policy.h"

namespace runahead::train {

/// The front end's phases, in this order in each batch.
enum class LoopPhase : std::uint8_t {
  kWaitBefore,     ///< The sync policy, before the batch.
  kData,           ///< Making (or fetching) the batch.
  kIssue,          ///< Issuing forward and loss.
  kIssueBackward,  ///< Issuing backward and optimiser.
  kWaitAfter,      ///< The sync policy, after the batch.
  kBatchEnd,
};

/// Follows the front end through a loop over batches, on its thread.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  /// A phase begins. Must be quick; may mark the back end, but must issue nothing.
  virtual void on_phase(LoopPhase /*phase*/, TimePoint /*time*/) {}
  /// All work of `batch` was issued, and the sync policy has not waited for it yet.
  virtual void on_issued(const IssuedBatch& /*batch*/) {}
  /// The sync policy has waited. May itself wait and rethrow the error of an earlier operation.
  virtual void after_wait(const IssuedBatch& /*batch*/) {}
};

}  // namespace runahead::train
