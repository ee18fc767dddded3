#include "core/device/operands_text.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace runahead::device {
namespace {

constexpr std::string_view kEllipsis = "...";

class Writer {
 public:
  explicit Writer(std::span<char> text) noexcept : text_(text) {}

  void add(std::string_view part) noexcept {
    if (is_full_ || part.size() > text_.size() - size_) {
      is_full_ = true;
      return;
    }
    size_ += part.copy(text_.data() + size_, part.size());
  }

  void add(std::int64_t number) noexcept {
    std::array<char, 24> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    add(std::string_view(digits.data(), static_cast<std::size_t>(written.ptr - digits.data())));
  }

  [[nodiscard]] std::size_t finish() noexcept {
    if (!is_full_ || text_.size() < kEllipsis.size()) return size_;
    size_ = std::min(size_, text_.size() - kEllipsis.size());
    return size_ + kEllipsis.copy(text_.data() + size_, kEllipsis.size());
  }

 private:
  std::span<char> text_;
  std::size_t size_ = 0;
  bool is_full_ = false;
};

}  // namespace

std::size_t write_operands(c10::ArrayRef<const Operand*> operands, std::span<char> text) noexcept {
  Writer writer(text);
  std::string_view separator;
  for (const Operand* const operand : operands) {
    const TensorLayout& layout = operand->layout();
    writer.add(separator);
    separator = ", ";
    writer.add(c10::toString(layout.dtype));
    writer.add("[");
    for (std::size_t i = 0; i < layout.sizes.size(); ++i) {
      if (i > 0) writer.add(", ");
      writer.add(layout.sizes[i]);
    }
    writer.add("]");
  }
  return writer.finish();
}

}  // namespace runahead::device
