#include "core/train/device_copies.h"

#include <ATen/ops/empty.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <string>

#include "core/base/error.h"

namespace runahead::train {
namespace {

using c10::impl::VirtualGuardImpl;

c10::Stream current_stream(torch::Device device) {
  return VirtualGuardImpl(device.type()).getStream(device);
}

c10::Stream new_stream(torch::Device device) {
  return VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

/// Work issued on `later` from now on starts after the work issued on `earlier` so far.
void order(const c10::Stream& earlier, const c10::Stream& later) {
  DeviceEvent(earlier).block(later);
}

/// Keeps the tensor's memory after its destruction until `stream` has passed that point.
void record_use(const torch::Tensor& tensor, const c10::Stream& stream) {
  VirtualGuardImpl(stream.device_type()).recordDataPtrOnStream(tensor.storage().data_ptr(), stream);
}

ReuseOptions checked(ReuseOptions options) {
  RUNAHEAD_REQUIRE(options.buffers >= 1, "0 buffers on the device, must be at least 1");
  RUNAHEAD_REQUIRE(options.ahead < options.buffers,
                   std::to_string(options.ahead) + " batches ahead with " +
                       std::to_string(options.buffers) + " buffers, must be fewer than these");
  return options;
}

}  // namespace

Batch InOrderCopies::copy(const Batch& staged, bool non_blocking) {
  return {.inputs = staged.inputs.to(device_, non_blocking),
          .targets = staged.targets.to(device_, non_blocking)};
}

c10::Stream InOrderCopies::stream() const { return current_stream(device_); }

RecordStreamCopies::RecordStreamCopies(torch::Device device)
    : device_(device), side_(new_stream(device)) {}

Batch RecordStreamCopies::copy(const Batch& staged, bool non_blocking) {
  const c10::Stream compute = current_stream(device_);
  Batch batch;
  {
    const c10::StreamGuard on_side(side_);
    batch.inputs = staged.inputs.to(device_, non_blocking);
    batch.targets = staged.targets.to(device_, non_blocking);
  }
  order(side_, compute);
  record_use(batch.inputs, compute);
  record_use(batch.targets, compute);
  return batch;
}

std::uint64_t RecordStreamCopies::kept_bytes(const Batch& batch) const { return bytes_of(batch); }

ReuseCopies::ReuseCopies(torch::Device device, ReuseOptions options)
    : device_(device),
      side_(new_stream(device)),
      events_kept_(checked(options).buffers - options.ahead),
      buffers_(options.buffers) {}

Batch ReuseCopies::copy(const Batch& staged, bool non_blocking) {
  const c10::Stream compute = current_stream(device_);
  mark_issued(compute);
  Batch& buffer = buffers_[copies_ % buffers_.size()];
  const bool was_used = copies_ >= buffers_.size();
  ++copies_;
  if (was_used) issued_.front().block(side_);
  {
    const c10::StreamGuard on_side(side_);
    fill(buffer.inputs, staged.inputs, non_blocking, compute);
    fill(buffer.targets, staged.targets, non_blocking, compute);
  }
  order(side_, compute);
  return buffer;
}

void ReuseCopies::mark_issued(const c10::Stream& compute) {
  issued_.emplace_back(compute);
  if (issued_.size() > events_kept_) issued_.pop_front();
}

void ReuseCopies::fill(torch::Tensor& buffer, const torch::Tensor& staged, bool non_blocking,
                       const c10::Stream& compute) const {
  const bool fits = buffer.defined() && buffer.sizes() == staged.sizes() &&
                    buffer.scalar_type() == staged.scalar_type();
  if (!fits) {
    buffer = at::empty(staged.sizes(), staged.options().device(device_));
    record_use(buffer, compute);  // For its free: the allocator does not see our events.
  }
  buffer.copy_(staged, non_blocking);
}

}  // namespace runahead::train
