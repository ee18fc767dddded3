#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <cstddef>
#include <optional>

namespace runahead::device {

/// Of a call: one for each parameter of the operator's schema.
using Arguments = c10::ArrayRef<c10::IValue>;

/// Calls `visit(const at::Tensor&)` for each defined tensor in an argument of an operator: a
/// tensor, or a list in which any element may be one.
template <typename Visit>
void for_each_tensor(const c10::IValue& value, Visit&& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) for_each_tensor(element, visit);
  }
}

/// Whether `predicate(const at::Tensor&)` holds for a tensor that for_each_tensor() visits in any
/// of the arguments.
template <typename Predicate>
[[nodiscard]] bool any_tensor(Arguments values, const Predicate& predicate) {
  bool found = false;
  for (const c10::IValue& value : values) {
    for_each_tensor(value, [&](const at::Tensor& tensor) { found = found || predicate(tensor); });
  }
  return found;
}

/// The argument with each tensor, undefined ones included, replaced by what
/// `replace(const at::Tensor&, std::optional<std::size_t> position in a list)` returns.
template <typename Replace>
c10::IValue with_tensors_replaced(const c10::IValue& value, Replace&& replace) {
  if (value.isTensor()) return replace(value.toTensor(), std::nullopt);
  if (!value.isList()) return value;
  const auto elements = value.toListRef();
  bool has_tensors = false;
  for (const c10::IValue& element : elements) has_tensors |= element.isTensor();
  if (!has_tensors) return value;
  c10::impl::GenericList replaced(value.toList().elementType());
  replaced.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    replaced.push_back(elements[i].isTensor()
                           ? c10::IValue(replace(elements[i].toTensor(), std::optional(i)))
                           : elements[i]);
  }
  return replaced;
}

}  // namespace runahead::device
