#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace runahead::device {

/// Turns any call of an operator into an operation of the device's engine: the one kernel behind
/// every operator that has none of its own.
///
/// Returns at once if the layouts of the results follow from the arguments (infer_return_layouts,
/// or an earlier call with the same signature); otherwise waits for the operation and counts the
/// operator as blocking. Views are created immediately.
/// @throws c10::Error at the call for wrong shapes, dtypes and devices that are detectable there.
void fallback(const c10::OperatorHandle& handle, torch::jit::Stack* stack);

/// The kernel of every operator on sparse, quantised and nested layouts of the device.
/// @throws c10::NotImplementedError naming the operator.
[[noreturn]] void refuse_other_layouts(const c10::OperatorHandle& handle, torch::jit::Stack* stack);

}  // namespace runahead::device
