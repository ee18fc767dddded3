#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/device/dispatch/operand.h"
#include "core/device/storage/memory_ledger.h"
#include "core/device/storage/warm_memory.h"

namespace runahead::device {

/// While it lives, `bytes` count as results of executing operations. Thread-safe.
class ExecutingResults {
 public:
  ExecutingResults(MemoryLedger& ledger, std::uint64_t bytes) noexcept
      : ledger_(ledger), bytes_(bytes) {
    ledger_.add_executing(bytes_);
  }
  ~ExecutingResults() { ledger_.subtract_executing(bytes_); }
  ExecutingResults(const ExecutingResults&) = delete;
  ExecutingResults& operator=(const ExecutingResults&) = delete;

 private:
  MemoryLedger& ledger_;
  const std::uint64_t bytes_;
};

/// A kernel returned something other than what was promised for it.
class UnforeseenResult : public Error {
 public:
  using Error::Error;
};

/// Stores a kernel's result where it was promised: the output's block takes over the result's
/// memory if it can, otherwise the values are copied into it.
/// @throws UnforeseenResult if the result's shape or type is not the promised one.
void store_result(std::string_view operator_name, const Operand& output, at::Tensor result);

/// To be called with what a kernel has written in place of `promised`: some kernels leave a
/// conjugate or negative view of the right values there, or another order of dimensions. Converts
/// them to the promised layout.
/// @throws UnforeseenResult if it does not have the promised shape and type.
void settle_written(std::string_view operator_name, const TensorLayout& promised,
                    at::Tensor& written);

/// @throws c10::NotImplementedError naming the operator and the layout, if `tensor` is sparse,
/// quantised or nested.
void require_strided(std::string_view operator_name, const at::Tensor& tensor);

/// Whether elements share memory, as those of an expanded tensor do.
[[nodiscard]] bool has_internal_overlap(const at::Tensor& tensor);

/// Copies the elements, also if both overlap themselves in the same way, as expanded ones do.
void copy_alike(const at::Tensor& target, const at::Tensor& source);

/// A copy that can be resized. Its strides leave the same gaps, because some kernels look at them.
[[nodiscard]] at::Tensor copy_with_strides(const at::Tensor& tensor);

/// `aten::mm on Float[2, 3], Float[3, 4]`, for error messages.
[[nodiscard]] std::string described_call(std::string_view operator_name,
                                         c10::ArrayRef<const Operand*> operands);

/// To be called while `error` is handled. @throws OutOfMemoryError if it reports a failed
/// allocation, otherwise the error itself; with the call added to its message.
[[noreturn]] void rethrow_with_call(c10::Error& error, MemoryLedger& ledger,
                                    const std::string& call);

/// Returns `kernel()`; `describe()` names the call in errors.
/// @throws OutOfMemoryError if it could not allocate; otherwise what it throws.
template <typename Kernel, typename Describe>
decltype(auto) run_kernel(MemoryLedger& ledger, Kernel&& kernel, const Describe& describe) {
  const WarmMemory::Scope results;
  try {
    return std::forward<Kernel>(kernel)();
  } catch (c10::Error& error) {
    rethrow_with_call(error, ledger, describe());
  }
}

}  // namespace runahead::device
