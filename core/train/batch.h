#pragma once

#include <torch/types.h>

#include <cstdint>

namespace runahead::train {

/// The input of one training step.
struct Batch {
  torch::Tensor inputs{};   ///< (batch, features), float32.
  torch::Tensor targets{};  ///< (batch, width) float32, or (batch,) int64 class indices.
  /// Bytes kept by copying the batch to the device until its last operation has finished: host
  /// staging, deferred frees. They add up over the batches in flight.
  std::uint64_t kept_bytes = 0;
};

/// Bytes of the batch's inputs and targets; an undefined tensor has none.
[[nodiscard]] inline std::uint64_t bytes_of(const Batch& batch) {
  const auto bytes = [](const torch::Tensor& tensor) -> std::uint64_t {
    return tensor.defined() ? tensor.nbytes() : 0;
  };
  return bytes(batch.inputs) + bytes(batch.targets);
}

}  // namespace runahead::train
