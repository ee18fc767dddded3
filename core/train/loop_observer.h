#pragma once

#include <cstdint>

#include "core/base/clock.h"

namespace runahead::train {

/// What the front end turns to, in this order in each batch.
enum class LoopPhase : std::uint8_t {
  kWaitBefore,     ///< The sync policy, before the batch.
  kData,           ///< Making (or fetching) the batch.
  kIssue,          ///< Issuing forward and loss.
  kIssueBackward,  ///< Issuing backward and optimiser.
  kWaitAfter,      ///< The sync policy, after the batch.
  kBatchEnd,
};

/// Is told of the front end's way through a training loop, on its thread, as each phase begins.
/// Must be quick; may mark the back end, and issue nothing.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void on_phase(LoopPhase phase, TimePoint time) = 0;
};

}  // namespace runahead::train
