#pragma once

#include "core/train/back_end.h"

namespace runahead::train {

/// The asynchronous CPU device. Uses its engine's marks and waits.
class AcpuBackEnd final : public BackEnd {
 public:
  std::unique_ptr<Mark> mark(FinishedCallback on_finished) override;
  [[nodiscard]] std::shared_ptr<const void> hold_memory(const torch::Tensor& tensor) const override;
  [[nodiscard]] std::optional<ClaimedBytes> claimed_bytes() const override;
  [[nodiscard]] bool holds_at_admission() const noexcept override { return true; }
  void wait_until_computed(const torch::Tensor& tensor) override;
  void synchronize() override;
};

}  // namespace runahead::train
