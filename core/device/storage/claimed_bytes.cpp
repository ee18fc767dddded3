#include "core/device/storage/claimed_bytes.h"

#include "core/device/runtime.h"

namespace runahead::device {

ClaimedBytes claimed_bytes() noexcept {
  const Runtime* runtime = Runtime::find();
  if (runtime == nullptr) return {};
  const PeakCounter& claimed = runtime->ledger.claimed;
  return {.claimed = claimed.added(), .released = claimed.subtracted(), .peak = claimed.peak()};
}

}  // namespace runahead::device
