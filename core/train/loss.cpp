#include "core/train/loss.h"

#include <string>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace runahead::train {

namespace {

std::string shape_text(const torch::Tensor& tensor) {
  return "(" + comma_separated(tensor.sizes()) + ")";
}

/// Without this check a loss would broadcast values that do not belong together.
void require_equal_shapes(const torch::Tensor& outputs, const torch::Tensor& targets) {
  if (outputs.sizes() == targets.sizes()) return;
  throw ConfigError("/loss: the model gives " + shape_text(outputs) + " and the targets are " +
                    shape_text(targets) + "; allowed: equal shapes, or cross_entropy for classes");
}

void require_logits(const torch::Tensor& outputs, const torch::Tensor& targets) {
  if (outputs.dim() == 2 && targets.dim() == 1 && outputs.size(0) == targets.size(0)) return;
  throw ConfigError("/loss: the model gives " + shape_text(outputs) + " and the targets are " +
                    shape_text(targets) +
                    "; allowed with cross_entropy: (batch, classes) and (batch)");
}

/// A loss over float targets of the shape of the outputs.
Loss mean_of(torch::Tensor (*loss)(const torch::Tensor& outputs, const torch::Tensor& targets)) {
  return [loss](const torch::Tensor& outputs, const torch::Tensor& targets) {
    require_equal_shapes(outputs, targets);
    return loss(outputs, targets);
  };
}

}  // namespace

Loss make_loss(config::LossKind kind) {
  using config::LossKind;
  using torch::Tensor;
  switch (kind) {
    case LossKind::kL2:
      return mean_of(
          [](const Tensor& y, const Tensor& t) { return torch::mse_loss(y, t).mul(0.5); });
    case LossKind::kMse:
      return mean_of([](const Tensor& y, const Tensor& t) { return torch::mse_loss(y, t); });
    case LossKind::kL1:
      return mean_of([](const Tensor& y, const Tensor& t) { return torch::l1_loss(y, t); });
    case LossKind::kHuber:
      return mean_of([](const Tensor& y, const Tensor& t) { return torch::huber_loss(y, t); });
    case LossKind::kCrossEntropy:
      return [](const Tensor& y, const Tensor& t) {
        require_logits(y, t);
        return torch::cross_entropy_loss(y, t);
      };
  }
  throw UsageError("make_loss: the kind is out of its range");
}

}  // namespace runahead::train
