#include "core/device/claimed_bytes.h"

#include "core/device/runtime.h"

namespace runahead::device {

ClaimedTotals claimed_totals() noexcept {
  const Runtime* runtime = Runtime::find();
  if (runtime == nullptr) return {};
  const PeakCounter& claimed = runtime->ledger.claimed;
  return {.claimed_bytes = claimed.added(),
          .released_bytes = claimed.subtracted(),
          .peak_bytes = claimed.peak()};
}

}  // namespace runahead::device
