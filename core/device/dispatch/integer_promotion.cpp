#include "core/device/dispatch/integer_promotion.h"

#include <ATen/core/enum_tag.h>
#include <c10/core/DefaultDtype.h>

namespace runahead::device {
namespace {

bool is_floating(at::ScalarType dtype) {
  return c10::isFloatingType(dtype) || c10::isComplexType(dtype);
}

}  // namespace

IntegerPromotion::IntegerPromotion() : default_dtype_(c10::get_default_dtype_as_scalartype()) {}

void IntegerPromotion::note_input(const at::Tensor& tensor) noexcept {
  has_floating_input_ |=
      is_floating(tensor.scalar_type()) && !tensor.unsafeGetTensorImpl()->is_wrapped_number();
}

bool IntegerPromotion::is_default_changed() const noexcept {
  return c10::get_default_dtype_as_scalartype() != default_dtype_;
}

std::optional<at::ScalarType> IntegerPromotion::dtype_for(const OperatorPlan& plan,
                                                          at::ScalarType result) const {
  if (has_floating_input_) return std::nullopt;
  const bool is_default = result == default_dtype_ || result == c10::toComplexType(default_dtype_);
  if (!is_default || !plan.handle.hasTag(at::Tag::pointwise)) return std::nullopt;
  return result;
}

at::Tensor IntegerPromotion::promoted(const OperatorPlan& plan, std::size_t argument,
                                      at::Tensor input, at::ScalarType dtype) {
  const bool is_condition = argument == 0 && plan.traits.takes_condition;
  if (is_condition || is_floating(input.scalar_type())) return input;
  return input.to(dtype);
}

}  // namespace runahead::device
