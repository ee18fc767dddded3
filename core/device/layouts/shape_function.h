#pragma once

#include <ATen/core/stack.h>
#include <c10/core/Allocator.h>

#include <optional>

#include "core/device/dispatch/operator_plan.h"
#include "core/device/layouts/tensor_layout.h"

namespace runahead::device {

/// LibTorch's structured operators check their arguments and compute the layouts of their results
/// in a shape function in C++ that is the same for all devices. Their Meta kernels would run it,
/// but once Python has loaded its own, laxer and slower ones, these are out of reach. LibTorch's
/// kernels for devices without one of their own run it, too: they create the results, then call the
/// form with out arguments. While a probe is present on the thread, the results have no memory, and
/// the latter call ends here.
class ShapeProbe {
 public:
  /// The layouts of the results of a plan with a structured form; nullopt if an out argument has
  /// another dtype, which its kernel converts to or rejects.
  /// @throws c10::Error as the kernel would, for arguments that it rejects.
  [[nodiscard]] static std::optional<ReturnLayouts> layouts_of_results(const OperatorPlan& plan,
                                                                       Arguments arguments);

  [[nodiscard]] static bool is_present() noexcept { return present_ != nullptr; }
  /// The allocator of results of the call that is probed.
  [[nodiscard]] static c10::Allocator* allocator();
  /// Notes the layouts of the out arguments instead of issuing the call, and returns these.
  /// @throws c10::Error if it is another operator than the one that is probed.
  static torch::jit::Stack finish(const OperatorPlan& plan, Arguments arguments);

 private:
  explicit ShapeProbe(const OperatorPlan& plan) noexcept : plan_(plan) { present_ = this; }
  ~ShapeProbe() { present_ = nullptr; }
  ShapeProbe(const ShapeProbe&) = delete;
  ShapeProbe& operator=(const ShapeProbe&) = delete;

  const OperatorPlan& plan_;
  ReturnLayouts layouts_{};

  inline static thread_local ShapeProbe* present_ = nullptr;
};

/// The operator itself, or that which returns what it writes into its out arguments, if LibTorch
/// has a kernel for it that runs a shape function.
[[nodiscard]] std::optional<c10::OperatorHandle> structured_form(const c10::OperatorHandle& handle);

}  // namespace runahead::device
