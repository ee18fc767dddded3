#include "core/train/loss.h"

#include "core/base/error.h"

namespace runahead::train {

Loss make_loss(config::LossKind kind) {
  using config::LossKind;
  using torch::Tensor;
  switch (kind) {
    case LossKind::kL2:
      return [](const Tensor& y, const Tensor& t) { return torch::mse_loss(y, t).mul(0.5); };
    case LossKind::kMse:
      return [](const Tensor& y, const Tensor& t) { return torch::mse_loss(y, t); };
    case LossKind::kL1:
      return [](const Tensor& y, const Tensor& t) { return torch::l1_loss(y, t); };
    case LossKind::kHuber:
      return [](const Tensor& y, const Tensor& t) { return torch::huber_loss(y, t); };
    case LossKind::kCrossEntropy:
      return [](const Tensor& y, const Tensor& t) { return torch::cross_entropy_loss(y, t); };
  }
  throw UsageError("make_loss: the kind is out of its range");
}

}  // namespace runahead::train
