#pragma once

#include <c10/core/ScalarType.h>
#include <torch/library.h>

#include <optional>

namespace runahead::device {

/// The dtype that autocast on the device has in this thread; nullopt outside of it.
[[nodiscard]] std::optional<at::ScalarType> present_autocast();

/// Autocast on the CPU as kernels that call others need it: on, if there is a dtype, or off. It
/// must not be the program's own, which applies where an operation runs on the program's thread.
class CpuAutocastScope {
 public:
  explicit CpuAutocastScope(std::optional<at::ScalarType> dtype);
  ~CpuAutocastScope();
  CpuAutocastScope(const CpuAutocastScope&) = delete;
  CpuAutocastScope& operator=(const CpuAutocastScope&) = delete;

 private:
  const bool was_on_;
  const at::ScalarType dtype_before_;
};

/// Registers, for the dispatch key AutocastPrivateUse1, every operator that autocast treats in a
/// special way on the CPU, so that `torch.autocast("acpu")` casts the same arguments to the same
/// types as `torch.autocast("cpu")`. All other operators run as they are.
void register_autocast(torch::Library& library);

}  // namespace runahead::device
