#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/mean_cpu_dispatch.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/mse_loss_backward_cpu_dispatch.h>
#include <ATen/ops/mse_loss_backward_ops.h>
#include <ATen/ops/mse_loss_cpu_dispatch.h>
#include <ATen/ops/mse_loss_ops.h>
#include <ATen/ops/sum_cpu_dispatch.h>
#include <ATen/ops/sum_ops.h>

#include <bitset>

#include "core/device/dispatch/hot_call.h"
#include "core/device/dispatch/hot_kernels.h"

namespace runahead::device {
namespace {

constexpr std::size_t kMostDimensions = 64;

/// The sizes that remain; nullopt if a dimension is out of range or named twice.
std::optional<at::DimVector> reduced_sizes(const at::Tensor& self, c10::IntArrayRef dimensions,
                                           bool keeps_dimensions) {
  const std::int64_t rank = self.dim();
  std::bitset<kMostDimensions> is_reduced;
  if (rank == 0 || rank > static_cast<std::int64_t>(kMostDimensions)) return std::nullopt;
  for (const std::int64_t given : dimensions) {
    const std::int64_t dimension = given < 0 ? given + rank : given;
    if (dimension < 0 || dimension >= rank) return std::nullopt;
    const auto index = static_cast<std::size_t>(dimension);
    if (is_reduced[index]) return std::nullopt;
    is_reduced[index] = true;
  }
  if (dimensions.empty()) is_reduced.set();
  at::DimVector sizes;
  for (std::int64_t i = 0; i < rank; ++i) {
    if (!is_reduced[static_cast<std::size_t>(i)]) {
      sizes.push_back(self.size(i));
    } else if (keeps_dimensions) {
      sizes.push_back(1);
    }
  }
  return sizes;
}

using Reduction = at::Tensor (*)(const at::Tensor&, at::OptionalIntArrayRef, bool,
                                 std::optional<at::ScalarType>);

/// sum and mean: `Operator` is LibTorch's description, `kOnHost` its CPU kernel.
template <typename Operator, Reduction kOnHost>
at::Tensor reduce(const at::Tensor& self, at::OptionalIntArrayRef dimensions, bool keeps_dimensions,
                  std::optional<at::ScalarType> dtype) {
  const c10::IntArrayRef given = dimensions ? *dimensions : c10::IntArrayRef();
  std::optional<at::DimVector> sizes;
  if (!dtype && is_hot_contiguous(self)) sizes = reduced_sizes(self, given, keeps_dimensions);
  if (!sizes) return call_boxed<Operator>(self, dimensions, keeps_dimensions, dtype);
  return issue_fresh(
      Operator::name, contiguous_layout(*sizes, self.scalar_type()),
      [dimensions = at::DimVector(given), keeps_dimensions](const at::Tensor& x) {
        return kOnHost(x, c10::IntArrayRef(dimensions), keeps_dimensions, std::nullopt);
      },
      self);
}

at::Tensor mse_loss(const at::Tensor& self, const at::Tensor& target, std::int64_t reduction) {
  if (!are_hot_alike(self, target)) {
    return call_boxed<at::_ops::mse_loss>(self, target, reduction);
  }
  const c10::IntArrayRef sizes =
      reduction == at::Reduction::None ? self.sizes() : c10::IntArrayRef();
  return issue_fresh(
      "aten::mse_loss", contiguous_layout(sizes, self.scalar_type()),
      [reduction](const at::Tensor& x, const at::Tensor& y) {
        return at::cpu::mse_loss(x, y, reduction);
      },
      self, target);
}

at::Tensor mse_loss_backward(const at::Tensor& gradient, const at::Tensor& self,
                             const at::Tensor& target, std::int64_t reduction) {
  const bool is_gradient_of_one = reduction != at::Reduction::None && is_hot(gradient) &&
                                  gradient.dim() == 0 &&
                                  gradient.scalar_type() == self.scalar_type();
  if (!are_hot_alike(self, target) || !is_gradient_of_one) {
    return call_boxed<at::_ops::mse_loss_backward>(gradient, self, target, reduction);
  }
  return issue_fresh(
      "aten::mse_loss_backward", contiguous_layout(self.sizes(), self.scalar_type()),
      [reduction](const at::Tensor& g, const at::Tensor& x, const at::Tensor& y) {
        return at::cpu::mse_loss_backward(g, x, y, reduction);
      },
      gradient, self, target);
}

}  // namespace

void register_hot_reductions(torch::Library& library) {
  library.impl("sum.dim_IntList", TORCH_FN((reduce<at::_ops::sum_dim_IntList, at::cpu::sum>)));
  library.impl("mean.dim", TORCH_FN((reduce<at::_ops::mean_dim, at::cpu::mean>)));
  library.impl("mse_loss", TORCH_FN(mse_loss));
  library.impl("mse_loss_backward", TORCH_FN(mse_loss_backward));
}

}  // namespace runahead::device
