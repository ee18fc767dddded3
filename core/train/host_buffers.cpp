#include "core/train/host_buffers.h"

#include <utility>

#include "core/base/error.h"

namespace runahead::train {
namespace {

MakeHostTensor checked(MakeHostTensor make) {
  RUNAHEAD_REQUIRE(make != nullptr, "nothing is there to make tensors of the host with");
  return make;
}

torch::Tensor made_copy(const MakeHostTensor& make, const torch::Tensor& host) {
  torch::Tensor copy = make(host);
  copy.copy_(host);
  return copy;
}

void write(torch::Tensor& buffer, const torch::Tensor& host, const MakeHostTensor& make) {
  const bool fits = buffer.defined() && buffer.sizes() == host.sizes() &&
                    buffer.scalar_type() == host.scalar_type();
  if (!fits) buffer = make(host);
  buffer.copy_(host);
}

}  // namespace

FreshBuffers::FreshBuffers(MakeHostTensor make) : make_(checked(std::move(make))) {}

Batch FreshBuffers::stage(const Batch& host) {
  return {.inputs = made_copy(make_, host.inputs), .targets = made_copy(make_, host.targets)};
}

std::uint64_t FreshBuffers::kept_bytes(const Batch& staged) const { return bytes_of(staged); }

RingBuffers::RingBuffers(std::size_t buffers, MakeHostTensor make)
    : make_(checked(std::move(make))), ring_(buffers) {
  RUNAHEAD_REQUIRE(buffers >= 1, "a ring of 0 buffers, must have at least 1");
}

Batch RingBuffers::stage(const Batch& host) {
  Buffer& oldest = ring_[next_];
  if (oldest.last_copy) oldest.last_copy->synchronize();
  write(oldest.tensors.inputs, host.inputs, make_);
  write(oldest.tensors.targets, host.targets, make_);
  return oldest.tensors;
}

void RingBuffers::copied(const c10::Stream& stream) {
  ring_[next_].last_copy.emplace(stream);
  next_ = (next_ + 1) % ring_.size();
}

}  // namespace runahead::train
