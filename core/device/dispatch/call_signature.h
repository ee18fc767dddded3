#pragma once

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <cstdint>
#include <optional>

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// Everything the layouts of a call's returns can depend on, as words: the operator, every tensor's
/// sizes, strides and type, every other argument's value (floating-point scalars only where no
/// tensor is read), the values of small host tensors, and the default dtype, autocast, determinism
/// and grad mode. Equal words mean equal layouts, except for data-dependent operators.
using CallSignature = c10::SmallVector<std::uint64_t, 64>;

/// nullopt if an argument can't be encoded (a large host tensor, an object).
[[nodiscard]] std::optional<CallSignature> signature_of(const OperatorPlan& plan,
                                                        Arguments arguments);

struct CallSignatureHash {
  [[nodiscard]] std::size_t operator()(const CallSignature& signature) const noexcept;
};

}  // namespace runahead::device
