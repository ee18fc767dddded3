#pragma once

#include <torch/types.h>

namespace runahead::train {

/// What one training step takes.
struct Batch {
  torch::Tensor inputs{};   ///< (batch, features), float32.
  torch::Tensor targets{};  ///< (batch, width) float32, or (batch,) int64 class indices.
};

}  // namespace runahead::train
