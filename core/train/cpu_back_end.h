#pragma once

#include "core/train/back_end.h"

namespace runahead::train {

/// LibTorch's `cpu` executes at issue: nothing is ever in flight, and no wait blocks.
class CpuBackEnd final : public BackEnd {
 public:
  std::unique_ptr<Mark> mark(FinishedCallback on_finished) override;
  void wait_until_computed(const torch::Tensor&) override {}
  void synchronize() override {}
};

}  // namespace runahead::train
