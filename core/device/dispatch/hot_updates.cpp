#include <ATen/ScalarOps.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add_compositeexplicitautogradnonfunctional_dispatch.h>
#include <ATen/ops/add_cpu_dispatch.h>
#include <ATen/ops/addcdiv_compositeexplicitautogradnonfunctional_dispatch.h>
#include <ATen/ops/addcdiv_cpu_dispatch.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_compositeexplicitautogradnonfunctional_dispatch.h>
#include <ATen/ops/addcmul_cpu_dispatch.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mul_compositeexplicitautogradnonfunctional_dispatch.h>
#include <ATen/ops/mul_cpu_dispatch.h>

#include "core/device/dispatch/hot_call.h"
#include "core/device/dispatch/hot_kernels.h"

namespace runahead::device {
namespace {

using at::native::wrapped_scalar_tensor;
// LibTorch's composition for any device: checks shapes, types and overlap, then calls the
// operator's out variant.
namespace general = at::compositeexplicitautogradnonfunctional;

// Different tensors on one block may overlap, which the general path checks.
bool are_apart(const at::Tensor& target, const at::Tensor& other) {
  return target.storage().unsafeGetStorageImpl() != other.storage().unsafeGetStorageImpl() ||
         target.is_same(other);
}

at::Tensor& add_number(at::Tensor& self, Number number, Number alpha) {
  issue_in_place("aten::add_.Tensor", self, [number, alpha](at::Tensor& target) {
    at::cpu::add_(target, wrap_number(number, target.scalar_type()), alpha.to_scalar());
  });
  return self;
}

at::Tensor& add_tensor_(at::Tensor& self, const at::Tensor& other, const c10::Scalar& factor) {
  const auto alpha = factor_of(factor, self);
  if (alpha && are_hot_alike(self, other) && are_apart(self, other)) {
    issue_in_place(
        "aten::add_.Tensor", self,
        [alpha = *alpha](at::Tensor& target, const at::Tensor& term) {
          at::cpu::add_(target, term, alpha.to_scalar());
        },
        other);
    return self;
  }
  const auto number = wrapped_number(other);
  if (number && alpha && is_hot_contiguous(self)) return add_number(self, *number, *alpha);
  return general::add_(self, other, factor);
}

at::Tensor& add_scalar_(at::Tensor& self, const c10::Scalar& scalar, const c10::Scalar& factor) {
  const auto number = Number::of(scalar);
  const auto alpha = factor_of(factor, self);
  if (number && alpha && is_hot_contiguous(self)) return add_number(self, *number, *alpha);
  return add_tensor_(self, wrapped_scalar_tensor(scalar), factor);
}

at::Tensor& multiply_by_number(at::Tensor& self, Number number) {
  issue_in_place("aten::mul_.Tensor", self, [number](at::Tensor& target) {
    at::cpu::mul_(target, wrap_number(number, target.scalar_type()));
  });
  return self;
}

at::Tensor& mul_tensor_(at::Tensor& self, const at::Tensor& other) {
  if (are_hot_alike(self, other) && are_apart(self, other)) {
    issue_in_place(
        "aten::mul_.Tensor", self,
        [](at::Tensor& target, const at::Tensor& factor) { at::cpu::mul_(target, factor); }, other);
    return self;
  }
  const auto number = wrapped_number(other);
  if (number && is_hot_contiguous(self)) return multiply_by_number(self, *number);
  return general::mul_(self, other);
}

at::Tensor& mul_scalar_(at::Tensor& self, const c10::Scalar& scalar) {
  const auto number = Number::of(scalar);
  if (number && is_hot_contiguous(self)) return multiply_by_number(self, *number);
  return at::mul_out(self, wrapped_scalar_tensor(scalar), self);  // In LibTorch's order.
}

using AddProduct = at::Tensor& (*)(at::Tensor&, const at::Tensor&, const at::Tensor&,
                                   const c10::Scalar&);

/// addcmul_ and addcdiv_: `Operator` is LibTorch's description, `kOnHost` its CPU kernel,
/// `kGeneral` the general path.
template <typename Operator, AddProduct kOnHost, AddProduct kGeneral>
at::Tensor& add_product_(at::Tensor& self, const at::Tensor& first, const at::Tensor& second,
                         const c10::Scalar& scalar) {
  const auto value = factor_of(scalar, self);
  const bool is_hot_case = value && are_hot_alike(self, first) && are_hot_alike(self, second) &&
                           are_apart(self, first) && are_apart(self, second);
  if (!is_hot_case) return kGeneral(self, first, second, scalar);
  issue_in_place(
      Operator::name, self,
      [value = *value](at::Tensor& target, const at::Tensor& a, const at::Tensor& b) {
        kOnHost(target, a, b, value.to_scalar());
      },
      first, second);
  return self;
}

}  // namespace

void register_hot_updates(torch::Library& library) {
  library.impl("add_.Tensor", TORCH_FN(add_tensor_));
  library.impl("add_.Scalar", TORCH_FN(add_scalar_));
  library.impl("mul_.Tensor", TORCH_FN(mul_tensor_));
  library.impl("mul_.Scalar", TORCH_FN(mul_scalar_));
  library.impl("addcmul_",
               TORCH_FN((add_product_<at::_ops::addcmul_, at::cpu::addcmul_, general::addcmul_>)));
  library.impl("addcdiv_",
               TORCH_FN((add_product_<at::_ops::addcdiv_, at::cpu::addcdiv_, general::addcdiv_>)));
}

}  // namespace runahead::device
