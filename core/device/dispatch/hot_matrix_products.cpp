#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/mm_ops.h>

#include "core/device/dispatch/hot_call.h"
#include "core/device/dispatch/hot_kernels.h"

namespace runahead::device {
namespace {

bool are_multipliable(const at::Tensor& left, const at::Tensor& right) {
  return is_hot(left) && is_hot(right) && left.scalar_type() == right.scalar_type() &&
         left.dim() == 2 && right.dim() == 2 && left.size(1) == right.size(0);
}

LayoutReference product_layout(const at::Tensor& left, const at::Tensor& right) {
  return contiguous_layout({left.size(0), right.size(1)}, left.scalar_type());
}

at::Tensor mm(const at::Tensor& left, const at::Tensor& right) {
  if (!are_multipliable(left, right)) return call_boxed<at::_ops::mm>(left, right);
  return issue_fresh(
      "aten::mm", product_layout(left, right),
      [&products = Runtime::get().products](const at::Tensor& a, const at::Tensor& b) {
        return products.mm(a, b);
      },
      left, right);
}

// Whether the term is a row, as a layer's bias is, or has the product's own shape.
bool is_addable(const at::Tensor& term, const at::Tensor& left, const at::Tensor& right) {
  if (!is_hot(term) || term.scalar_type() != left.scalar_type()) return false;
  if (term.dim() == 1) return term.size(0) == right.size(1);
  return term.dim() == 2 && term.size(0) == left.size(0) && term.size(1) == right.size(1);
}

at::Tensor addmm(const at::Tensor& term, const at::Tensor& left, const at::Tensor& right,
                 const c10::Scalar& term_factor, const c10::Scalar& product_factor) {
  const auto beta = factor_of(term_factor, left);
  const auto alpha = factor_of(product_factor, left);
  if (!beta || !alpha || !are_multipliable(left, right) || !is_addable(term, left, right)) {
    return call_boxed<at::_ops::addmm>(term, left, right, term_factor, product_factor);
  }
  return issue_fresh(
      "aten::addmm", product_layout(left, right),
      [&products = Runtime::get().products, beta = *beta, alpha = *alpha](
          const at::Tensor& t, const at::Tensor& a, const at::Tensor& b) {
        return products.addmm(t, a, b, beta.to_scalar(), alpha.to_scalar());
      },
      term, left, right);
}

}  // namespace

void register_hot_matrix_products(torch::Library& library) {
  library.impl("mm", TORCH_FN(mm));
  library.impl("addmm", TORCH_FN(addmm));
}

}  // namespace runahead::device
