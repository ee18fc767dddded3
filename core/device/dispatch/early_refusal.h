#pragma once

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// Whether the CPU kernel of an operator refuses tensors of these types and ranks, or these
/// numbers: found by calling it on empty ones. Only of operators whose shapes broadcast, or that
/// fill what they are given: for the others it is false. Emits the warnings of the kernel.
///
/// A call for which it is true is made and waited for, so that its error, with LibTorch's own type
/// and text, comes at the call; if the refusal was of the empty tensors alone, nothing is lost.
[[nodiscard]] bool is_refused_when_empty(const OperatorPlan& plan,
                                         c10::ArrayRef<c10::IValue> arguments);

/// Whether the kernel may refuse the call for another reason that the arguments show, or warns of
/// it: a number that is too large for its type, an index that is none, a variance without degrees
/// of freedom. Each such call is made and waited for, too.
[[nodiscard]] bool may_be_refused(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

/// Whether a tensor that the call reads or changes has no elements: kernels differ on such.
[[nodiscard]] bool has_empty_operand(const OperatorPlan& plan,
                                     c10::ArrayRef<c10::IValue> arguments);

/// Whether tensors that the call reads have several floating-point or complex types, which few
/// kernels take and Meta kernels do not look at. The first such call of a signature is waited for
/// as well.
[[nodiscard]] bool has_mixed_types(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

/// Whether tensors that the call writes share memory with themselves or with others of its tensors.
[[nodiscard]] bool has_overlap(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

/// @throws c10::NotImplementedError, naming the operator, if the call asks for a sparse result.
void refuse_sparse_results(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

}  // namespace runahead::device
