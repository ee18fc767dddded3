#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <string_view>
#include <utility>

#include "core/device/memory_ledger.h"
#include "core/device/operand.h"

namespace runahead::device {

/// Puts what a kernel returned where it was promised: the output's block takes the result over
/// where it can, else the values are copied into it.
/// @throws Error if the result's shape or type is not the promised one.
void store_result(std::string_view operator_name, const Operand& output, at::Tensor result);

/// @throws Error if `tensor` has not the shape and type that were promised.
void require_promised(std::string_view operator_name, const TensorLayout& promised,
                      const at::Tensor& tensor);

/// @throws OutOfMemoryError if `error` says that memory could not be allocated; else returns.
void throw_if_out_of_memory(const c10::Error& error, MemoryLedger& ledger);

/// What `kernel()` returns. @throws OutOfMemoryError where it could not allocate; what it throws.
template <typename Kernel>
decltype(auto) run_kernel(MemoryLedger& ledger, Kernel&& kernel) {
  try {
    return std::forward<Kernel>(kernel)();
  } catch (const c10::Error& error) {
    throw_if_out_of_memory(error, ledger);
    throw;
  }
}

}  // namespace runahead::device
