#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// Integers that an operator computes in floating point (`sin` of integers, `count * 0.5`):
/// LibTorch takes the process's default dtype for it at the moment the kernel runs. A call converts
/// them itself instead, as the kernel would, to the dtype that was the default at issue.
class IntegerPromotion {
 public:
  /// Notes the default dtype.
  IntegerPromotion();

  /// Notes a tensor that the call reads: one in floating point decides the dtype by itself.
  void note_input(const at::Tensor& tensor) noexcept;

  /// Whether the process's default dtype is no longer what it was at issue.
  [[nodiscard]] bool is_default_changed() const noexcept;

  /// What integer inputs are to be converted to for a result of this dtype; nullopt: they stay.
  [[nodiscard]] std::optional<at::ScalarType> dtype_for(const OperatorPlan& plan,
                                                        at::ScalarType result) const;
  /// The input converted, unless it is no integer or, as the condition of `where`, no operand.
  [[nodiscard]] static at::Tensor promoted(const OperatorPlan& plan, std::size_t argument,
                                           at::Tensor input, at::ScalarType dtype);

 private:
  at::ScalarType default_dtype_;
  bool has_floating_input_ = false;
};

}  // namespace runahead::device
