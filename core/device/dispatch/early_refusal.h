#pragma once

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// Whether the CPU kernel of an operator rejects tensors of these types and ranks, or these
/// numbers: found by calling it on empty tensors. Only for operators whose shapes broadcast or that
/// fill their arguments; false for all others. Emits the kernel's warnings.
///
/// A call for which it is true is run and waited for, so that its error, with LibTorch's own type
/// and text, is thrown at the call; if only the empty tensors were rejected, nothing is lost.
[[nodiscard]] bool is_refused_when_empty(const OperatorPlan& plan, Arguments arguments);

/// Whether the kernel may reject the call, or warn about it, for another reason that the arguments
/// show: a number too large for its type, an index of a non-integer type, a variance without
/// degrees of freedom. Each such call is run and waited for, too.
[[nodiscard]] bool may_be_refused(const OperatorPlan& plan, Arguments arguments);

/// Whether a tensor that the call reads or changes has no elements: kernels differ on these.
[[nodiscard]] bool has_empty_operand(const OperatorPlan& plan, Arguments arguments);

/// Whether tensors that the call reads have several floating-point or complex types, which few
/// kernels accept and Meta kernels do not check. The first such call of a signature is waited for
/// as well.
[[nodiscard]] bool has_mixed_types(const OperatorPlan& plan, Arguments arguments);

/// Whether tensors that the call writes overlap themselves or others of its tensors.
[[nodiscard]] bool has_overlap(const OperatorPlan& plan, Arguments arguments);

/// @throws c10::NotImplementedError, naming the operator, if the call asks for a sparse result.
void refuse_sparse_results(const OperatorPlan& plan, Arguments arguments);

/// Whether the kernel rejects, or may reject, a list of indices or the values to put there because
/// of their shapes: for `index` and `index_put_`, whose plan takes indices. Reads no values, so
/// that an index out of range is found when the call runs, as on CUDA.
[[nodiscard]] bool may_refuse_indices(const OperatorPlan& plan, Arguments arguments);

}  // namespace runahead::device
