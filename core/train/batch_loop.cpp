#include "core/train/batch_loop.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/clock.h"
#include "core/device/storage/tensor_class.h"

namespace runahead::train {

void BatchLoop::run(std::int64_t batches, BatchMeter& meter, LoopTrace& trace,
                    std::stop_token stop) {
  for (std::int64_t i = 0; i < batches && !stop.stop_requested(); ++i) {
    enter(LoopPhase::kWaitBefore);
    waiter_.before_batch();
    enter(LoopPhase::kData);

    Batch batch = next_batch();
    enter(LoopPhase::kIssue);

    ++trace.batches;
    trace.examples += batch.inputs.size(0);
    const std::uint64_t bytes = bytes_of(batch);
    const std::uint64_t kept_bytes = batch.kept_bytes;
    trace.batch_bytes = std::max(trace.batch_bytes, bytes);
    trace.batch_kept_bytes = std::max(trace.batch_kept_bytes, kept_bytes);
    trace.last_loss = issue(batch);
    if (!trace.first_loss.defined()) trace.first_loss = trace.last_loss;
    meter.batch_issued(std::move(batch));
    enter(LoopPhase::kWaitAfter);

    const IssuedBatch issued{.loss = &trace.last_loss, .bytes = bytes, .kept_bytes = kept_bytes};
    for (LoopObserver* observer : observers_) observer->on_issued(issued);
    waiter_.after_batch(issued);
    for (LoopObserver* observer : observers_) observer->after_wait(issued);
    enter(LoopPhase::kBatchEnd);
  }
}

void BatchLoop::enter(LoopPhase phase) {
  const TimePoint now = Clock::now();
  for (LoopObserver* observer : observers_) observer->on_phase(phase, now);
}

Batch BatchLoop::next_batch() {
  const device::TensorClassScope inputs(device::TensorClass::kInputs);
  return source_.next();
}

}  // namespace runahead::train
