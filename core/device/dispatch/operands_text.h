#pragma once

#include <c10/util/ArrayRef.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/device/dispatch/operand.h"

namespace runahead::device {

/// Types and shapes as text, `Float[2, 3], Float[3, 4]`; a trailing `...` stands for what does not
/// fit. Allocates nothing.
class OperandsText {
 public:
  /// `text` must outlive the object.
  explicit OperandsText(std::span<char> text) noexcept : text_(text) {}

  void add(const Operand& operand) noexcept;
  /// @return the number of characters written. To be called once, at the end.
  [[nodiscard]] std::size_t finish() noexcept;

 private:
  void add(std::string_view part) noexcept;
  void add(std::int64_t number) noexcept;

  std::span<char> text_;
  std::size_t size_ = 0;
  bool is_full_ = false;
};

/// Writes `operands` into `text`. @return the number of characters written.
[[nodiscard]] std::size_t write_operands(c10::ArrayRef<const Operand*> operands,
                                         std::span<char> text) noexcept;

}  // namespace runahead::device
