#pragma once

#include <ATen/core/stack.h>
#include <c10/core/Storage.h>

#include <cstdint>

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// A host storage of `bytes` without memory, to which a layout may refer.
/// @param address  The address that it reports.
[[nodiscard]] c10::Storage storage_without_memory(std::uint64_t bytes, void* address = nullptr);

/// A CPU tensor of the same layout over the tensor's device address, for code that looks at layouts
/// and addresses only: nothing may read through it.
[[nodiscard]] at::Tensor host_twin(const at::Tensor& tensor);

/// A tensor on the device that shares the storage of `base` and has the layout and type of `twin`.
[[nodiscard]] at::Tensor device_view(const at::Tensor& base, const at::Tensor& twin);

/// Runs a view operator: only layouts change, so its CPU kernel is called here and now on tensors
/// whose memory it never touches. @return tensors on the device that share the argument's storage.
/// @throws what the kernel throws.
[[nodiscard]] torch::jit::Stack view_on_front_end(const OperatorPlan& plan, Arguments arguments);

}  // namespace runahead::device
