#include <ATen/ScalarOps.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add_cpu_dispatch.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/clamp_min_cpu_dispatch.h>
#include <ATen/ops/div_cpu_dispatch.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/gelu_backward_cpu_dispatch.h>
#include <ATen/ops/gelu_backward_ops.h>
#include <ATen/ops/gelu_cpu_dispatch.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/mul_cpu_dispatch.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/sigmoid_backward_cpu_dispatch.h>
#include <ATen/ops/sigmoid_backward_ops.h>
#include <ATen/ops/sigmoid_cpu_dispatch.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/sqrt_cpu_dispatch.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/sub_cpu_dispatch.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/tanh_backward_cpu_dispatch.h>
#include <ATen/ops/tanh_backward_ops.h>
#include <ATen/ops/tanh_cpu_dispatch.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/threshold_backward_cpu_dispatch.h>
#include <ATen/ops/threshold_backward_ops.h>

#include <algorithm>

#include "core/device/dispatch/hot_call.h"
#include "core/device/dispatch/hot_kernels.h"

namespace runahead::device {
namespace {

using at::native::wrapped_scalar_tensor;

/// Whether it is dense in another order of dimensions than a contiguous tensor, as images in
/// channels_last are. Dimensions of one element would leave their strides ambiguous.
bool is_dense_in_another_order(const at::Tensor& tensor) {
  return tensor.is_non_overlapping_and_dense() && !tensor.is_contiguous() &&
         tensor.storage_offset() == 0 && !tensor.is_neg() &&
         std::ranges::all_of(tensor.sizes(), [](std::int64_t size) { return size > 1; });
}

/// The layout of an elementwise operator's result: in its inputs' order of dimensions.
LayoutReference layout_like(const at::Tensor& tensor) {
  if (tensor.is_contiguous()) return contiguous_layout(tensor.sizes(), tensor.scalar_type());
  return LayoutReference::of(Runtime::get().known_layouts, tensor);
}

bool is_hot_dense(const at::Tensor& tensor) {
  return is_hot_contiguous(tensor) || (is_hot(tensor) && is_dense_in_another_order(tensor));
}

bool are_hot_and_dense_alike(const at::Tensor& first, const at::Tensor& second) {
  return are_hot_alike(first, second) ||
         (is_hot(first) && is_hot(second) && is_dense_in_another_order(first) &&
          first.scalar_type() == second.scalar_type() && first.sizes() == second.sizes() &&
          first.strides() == second.strides());
}

bool is_hot_for_number(const at::Tensor& tensor) {
  return is_hot_with_usual_strides(tensor) || (is_hot(tensor) && is_dense_in_another_order(tensor));
}

/// An operator of two tensors, or of a tensor and a number, and a factor for the second (`alpha`).
struct Sum {
  using TensorOperator = at::_ops::add_Tensor;
  static constexpr const char* kName = "aten::add.Tensor";
  static constexpr auto* kOnHost = &at::cpu::add_out;
};
struct Difference {
  using TensorOperator = at::_ops::sub_Tensor;
  static constexpr const char* kName = "aten::sub.Tensor";
  static constexpr auto* kOnHost = &at::cpu::sub_out;
};

template <typename Operator>
at::Tensor weighted_number(const at::Tensor& self, Number number, Number alpha) {
  return issue_elementwise(
      Operator::kName, layout_like(self),
      [number, alpha](at::Tensor& result, const at::Tensor& a) {
        Operator::kOnHost(result, a, wrap_number(number, a.scalar_type()), alpha.to_scalar());
      },
      self);
}

template <typename Operator>
at::Tensor weighted(const at::Tensor& self, const at::Tensor& other, const c10::Scalar& factor) {
  const auto alpha = factor_of(factor, self);
  if (alpha && are_hot_and_dense_alike(self, other)) {
    return issue_elementwise(
        Operator::kName, layout_like(self),
        [alpha = *alpha](at::Tensor& result, const at::Tensor& a, const at::Tensor& b) {
          Operator::kOnHost(result, a, b, alpha.to_scalar());
        },
        self, other);
  }
  const auto number = wrapped_number(other);
  if (number && alpha && is_hot_for_number(self)) {
    return weighted_number<Operator>(self, *number, *alpha);
  }
  return call_boxed<typename Operator::TensorOperator>(self, other, factor);
}

template <typename Operator>
at::Tensor weighted_scalar(const at::Tensor& self, const c10::Scalar& scalar,
                           const c10::Scalar& factor) {
  const auto number = Number::of(scalar);
  const auto alpha = factor_of(factor, self);
  if (number && alpha && is_hot_for_number(self)) {
    return weighted_number<Operator>(self, *number, *alpha);
  }
  return weighted<Operator>(self, wrapped_scalar_tensor(scalar), factor);
}

using BinaryKernel = at::Tensor& (*)(at::Tensor&, const at::Tensor&, const at::Tensor&);

/// An operator of two tensors, or of a tensor and a number.
struct Product {
  using TensorOperator = at::_ops::mul_Tensor;
  static constexpr const char* kName = "aten::mul.Tensor";
  static constexpr BinaryKernel kOnHost = at::cpu::mul_out;
};
struct Quotient {
  using TensorOperator = at::_ops::div_Tensor;
  static constexpr const char* kName = "aten::div.Tensor";
  static constexpr BinaryKernel kOnHost = at::cpu::div_out;
};

template <typename Operator>
at::Tensor of_number(const at::Tensor& self, Number number) {
  return issue_elementwise(
      Operator::kName, layout_like(self),
      [number](at::Tensor& result, const at::Tensor& a) {
        Operator::kOnHost(result, a, wrap_number(number, a.scalar_type()));
      },
      self);
}

template <typename Operator>
at::Tensor binary(const at::Tensor& self, const at::Tensor& other) {
  if (are_hot_and_dense_alike(self, other)) {
    return issue_elementwise(Operator::kName, layout_like(self), Operator::kOnHost, self, other);
  }
  const auto number = wrapped_number(other);
  if (number && is_hot_for_number(self)) return of_number<Operator>(self, *number);
  return call_boxed<typename Operator::TensorOperator>(self, other);
}

template <typename Operator>
at::Tensor binary_scalar(const at::Tensor& self, const c10::Scalar& scalar) {
  const auto number = Number::of(scalar);
  if (number && is_hot_for_number(self)) return of_number<Operator>(self, *number);
  return binary<Operator>(self, wrapped_scalar_tensor(scalar));
}

/// `Operator` is LibTorch's description of the operator, `kOnHost` its CPU kernel.
template <typename Operator, at::Tensor& (*kOnHost)(at::Tensor&, const at::Tensor&)>
at::Tensor unary(const at::Tensor& self) {
  if (!is_hot_dense(self)) return call_boxed<Operator>(self);
  return issue_elementwise(Operator::name, layout_like(self), kOnHost, self);
}

template <typename Operator, BinaryKernel kOnHost>
at::Tensor backward(const at::Tensor& gradient, const at::Tensor& forward) {
  if (!are_hot_and_dense_alike(gradient, forward)) return call_boxed<Operator>(gradient, forward);
  return issue_elementwise(Operator::name, layout_like(gradient), kOnHost, gradient, forward);
}

at::Tensor threshold_backward(const at::Tensor& gradient, const at::Tensor& self,
                              const c10::Scalar& scalar) {
  const auto threshold = factor_of(scalar, self);
  if (!threshold || !are_hot_and_dense_alike(gradient, self)) {
    return call_boxed<at::_ops::threshold_backward>(gradient, self, scalar);
  }
  return issue_elementwise(
      "aten::threshold_backward", layout_like(gradient),
      [threshold = *threshold](at::Tensor& result, const at::Tensor& g, const at::Tensor& x) {
        at::cpu::threshold_backward_out(result, g, x, threshold.to_scalar());
      },
      gradient, self);
}

at::Tensor& relu_out(at::Tensor& result, const at::Tensor& self) {
  return at::cpu::clamp_min_out(result, self, 0);
}

// The general path checks the names of gelu's approximations.
bool is_gelu(c10::string_view approximation) {
  return approximation == "none" || approximation == "tanh";
}

at::Tensor gelu(const at::Tensor& self, c10::string_view approximation) {
  if (!is_hot_contiguous(self) || !is_gelu(approximation)) {
    return call_boxed<at::_ops::gelu>(self, approximation);
  }
  const bool is_exact = approximation == "none";
  return issue_elementwise(
      "aten::gelu", layout_like(self),
      [is_exact](at::Tensor& result, const at::Tensor& x) {
        at::cpu::gelu_out(result, x, is_exact ? "none" : "tanh");
      },
      self);
}

at::Tensor gelu_backward(const at::Tensor& gradient, const at::Tensor& self,
                         c10::string_view approximation) {
  if (!are_hot_alike(gradient, self) || !is_gelu(approximation)) {
    return call_boxed<at::_ops::gelu_backward>(gradient, self, approximation);
  }
  const bool is_exact = approximation == "none";
  return issue_elementwise(
      "aten::gelu_backward", layout_like(self),
      [is_exact](at::Tensor& result, const at::Tensor& g, const at::Tensor& x) {
        at::cpu::gelu_backward_out(result, g, x, is_exact ? "none" : "tanh");
      },
      gradient, self);
}

}  // namespace

void register_hot_elementwise(torch::Library& library) {
  library.impl("add.Tensor", TORCH_FN(weighted<Sum>));
  library.impl("add.Scalar", TORCH_FN(weighted_scalar<Sum>));
  library.impl("sub.Tensor", TORCH_FN(weighted<Difference>));
  library.impl("sub.Scalar", TORCH_FN(weighted_scalar<Difference>));
  library.impl("mul.Tensor", TORCH_FN(binary<Product>));
  library.impl("mul.Scalar", TORCH_FN(binary_scalar<Product>));
  library.impl("div.Tensor", TORCH_FN(binary<Quotient>));
  library.impl("div.Scalar", TORCH_FN(binary_scalar<Quotient>));
  library.impl("relu", TORCH_FN((unary<at::_ops::relu, relu_out>)));
  library.impl("sigmoid", TORCH_FN((unary<at::_ops::sigmoid, at::cpu::sigmoid_out>)));
  library.impl("tanh", TORCH_FN((unary<at::_ops::tanh, at::cpu::tanh_out>)));
  library.impl("sqrt", TORCH_FN((unary<at::_ops::sqrt, at::cpu::sqrt_out>)));
  library.impl("sigmoid_backward",
               TORCH_FN((backward<at::_ops::sigmoid_backward, at::cpu::sigmoid_backward_out>)));
  library.impl("tanh_backward",
               TORCH_FN((backward<at::_ops::tanh_backward, at::cpu::tanh_backward_out>)));
  library.impl("threshold_backward", TORCH_FN(threshold_backward));
  library.impl("gelu", TORCH_FN(gelu));
  library.impl("gelu_backward", TORCH_FN(gelu_backward));
}

}  // namespace runahead::device
