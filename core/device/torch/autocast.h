#pragma once

#include <c10/core/ScalarType.h>
#include <torch/library.h>

#include <optional>

namespace runahead::device {

/// The dtype that autocast on the device has in this thread; nullopt outside of it.
[[nodiscard]] std::optional<at::ScalarType> present_autocast();

/// Switches autocast on the CPU on, for kernels that call others, if there is a dtype.
class CpuAutocastScope {
 public:
  explicit CpuAutocastScope(std::optional<at::ScalarType> dtype);
  ~CpuAutocastScope();
  CpuAutocastScope(const CpuAutocastScope&) = delete;
  CpuAutocastScope& operator=(const CpuAutocastScope&) = delete;

 private:
  const bool is_on_;
  at::ScalarType dtype_before_ = at::ScalarType::Undefined;
};

/// Registers, for the dispatch key AutocastPrivateUse1, every operator that autocast treats in a
/// special way on the CPU, so that `torch.autocast("acpu")` casts the same arguments to the same
/// types as `torch.autocast("cpu")`. All other operators run as they are.
void register_autocast(torch::Library& library);

}  // namespace runahead::device
