#pragma once

#include <c10/util/ArrayRef.h>

#include <cstddef>
#include <span>

#include "core/device/operand.h"

namespace runahead::device {

/// Writes types and shapes, `Float[2, 3], Float[3, 4]`, into `text`; `...` stands at the end for
/// what does not fit. @return the number of characters written. Allocates nothing.
[[nodiscard]] std::size_t write_operands(c10::ArrayRef<const Operand*> operands,
                                         std::span<char> text) noexcept;

}  // namespace runahead::device
