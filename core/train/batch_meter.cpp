#include "core/train/batch_meter.h"

#include <array>
#include <utility>

#include "core/base/clock.h"

namespace runahead::train {

void BatchMeter::batch_issued(Batch batch) {
  std::array kept{back_end_.hold_memory(batch.inputs), back_end_.hold_memory(batch.targets)};
  const std::uint64_t kept_bytes = batch.kept_bytes;
  batch = {};  // From here on only operations in flight keep it.
  back_end_.mark([counter = counter_, kept = std::move(kept), kept_bytes](TimePoint time) mutable {
    kept = {};
    counter->finish(time, kept_bytes);
  });
  counter_->issue(Clock::now(), kept_bytes);
}

}  // namespace runahead::train
