#pragma once

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/device/dispatch/call_signature.h"
#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// The layouts that earlier calls returned, by signature. Bounded; thread-safe.
class LayoutCache {
 public:
  static constexpr std::size_t kCapacity = 8192;  ///< Signatures; when full, it is cleared.

  [[nodiscard]] std::optional<ReturnLayouts> find(const CallSignature& signature) const;
  void learn(const CallSignature& signature, const ReturnLayouts& layouts);

 private:
  mutable std::mutex mutex_{};
  std::unordered_map<CallSignature, ReturnLayouts, CallSignatureHash> known_{};
};

/// The layouts of what a call returned.
[[nodiscard]] ReturnLayouts layouts_of(Arguments returns);

/// Whether only the CPU kernel determines the outcome of the call: the memory format of the result
/// if those of the operands differ, whether it fits in place, and what else a few operators reject.
/// The Meta kernels of LibTorch's structured operators determine it, too.
[[nodiscard]] bool is_left_to_kernel(const OperatorPlan& plan, Arguments arguments);

/// The layouts of a call's returns from its arguments alone, without waiting for any value: by a
/// rule of this device, else by LibTorch's Meta kernel; nullopt if neither applies.
/// @throws c10::Error as the operator's own checks do, for wrong shapes and dtypes.
[[nodiscard]] std::optional<ReturnLayouts> infer_return_layouts(const OperatorPlan& plan,
                                                                Arguments arguments);

}  // namespace runahead::device
