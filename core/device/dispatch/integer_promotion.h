#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// Promotes integers that an operator computes in floating point (`count * 0.5`, `sin` of
/// integers). LibTorch would use the process's default dtype at the time the kernel runs; a call
/// converts them itself instead, as the kernel would, to the dtype that was the default at issue.
class IntegerPromotion {
 public:
  /// Notes the default dtype.
  IntegerPromotion();

  /// Notes a tensor that the call reads: a floating-point one determines the dtype by itself.
  void note_input(const at::Tensor& tensor) noexcept;

  /// Whether the process's default dtype is no longer what it was at issue.
  [[nodiscard]] bool is_default_changed() const noexcept;

  /// The dtype to convert integer inputs to for a result of dtype `result`; nullopt: none.
  [[nodiscard]] std::optional<at::ScalarType> dtype_for(const OperatorPlan& plan,
                                                        at::ScalarType result) const;
  /// The converted input; unchanged if it is not an integer tensor or is the condition of `where`.
  [[nodiscard]] static at::Tensor promoted(const OperatorPlan& plan, std::size_t argument,
                                           at::Tensor input, at::ScalarType dtype);

 private:
  at::ScalarType default_dtype_;
  bool has_floating_input_ = false;
};

}  // namespace runahead::device
