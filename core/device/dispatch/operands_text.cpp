#include "core/device/dispatch/operands_text.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace runahead::device {
namespace {

constexpr std::string_view kEllipsis = "...";

}  // namespace

void OperandsText::add(const Operand& operand) noexcept {
  const TensorLayout& layout = operand.layout();
  if (size_ > 0) add(", ");
  add(c10::toString(layout.dtype));
  add("[");
  for (std::size_t i = 0; i < layout.sizes.size(); ++i) {
    if (i > 0) add(", ");
    add(layout.sizes[i]);
  }
  add("]");
}

std::size_t OperandsText::finish() noexcept {
  if (!is_full_ || text_.size() < kEllipsis.size()) return size_;
  size_ = std::min(size_, text_.size() - kEllipsis.size());
  return size_ + kEllipsis.copy(text_.data() + size_, kEllipsis.size());
}

void OperandsText::add(std::string_view part) noexcept {
  if (is_full_ || part.size() > text_.size() - size_) {
    is_full_ = true;
    return;
  }
  size_ += part.copy(text_.data() + size_, part.size());
}

void OperandsText::add(std::int64_t number) noexcept {
  std::array<char, 24> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  add(std::string_view(digits.data(), static_cast<std::size_t>(written.ptr - digits.data())));
}

std::size_t write_operands(c10::ArrayRef<const Operand*> operands, std::span<char> text) noexcept {
  OperandsText written(text);
  for (const Operand* const operand : operands) written.add(*operand);
  return written.finish();
}

}  // namespace runahead::device
