#include "core/array_files/idx.h"

#include <optional>

#include "core/base/number_text.h"

namespace runahead::array_files {
namespace {

std::optional<ElementType> idx_element_type(std::byte code) {
  switch (std::to_integer<int>(code)) {
    case 0x08:
      return ElementType::kUint8;
    case 0x09:
      return ElementType::kInt8;
    case 0x0B:
      return ElementType::kInt16;
    case 0x0C:
      return ElementType::kInt32;
    case 0x0D:
      return ElementType::kFloat32;
    case 0x0E:
      return ElementType::kFloat64;
    default:
      return std::nullopt;
  }
}

}  // namespace

Layout read_idx_header(std::span<const std::byte> head, const std::string& source) {
  constexpr std::size_t kPrefixBytes = 4;
  constexpr std::size_t kSizeBytes = 4;
  if (head.size() < kPrefixBytes || head[0] != std::byte{0} || head[1] != std::byte{0}) {
    refuse(source, 0, hexadecimal(head, kPrefixBytes),
           "IDX, which begins with 00 00, a type and a number of dimensions");
  }
  const std::optional<ElementType> type = idx_element_type(head[2]);
  if (!type) {
    refuse(source, 2, "the type " + hexadecimal(head.subspan(2), 1),
           "08 (uint8), 09 (int8), 0B (int16), 0C (int32), 0D (float32), 0E (float64)");
  }
  const auto dimensions = std::to_integer<std::size_t>(head[3]);
  if (dimensions < 1 || dimensions > kMostDimensions) {
    refuse(source, 3, counted(dimensions, "dimension"), "1 to " + std::to_string(kMostDimensions));
  }
  const std::size_t header_bytes = kPrefixBytes + kSizeBytes * dimensions;
  if (head.size() < header_bytes) {
    refuse(source, head.size(), "the end",
           "sizes of " + counted(dimensions, "dimension") + " up to byte " +
               std::to_string(header_bytes - 1));
  }
  Layout layout{.type = *type, .is_big_endian = true, .offset = header_bytes};
  for (std::size_t at = kPrefixBytes; at < header_bytes; at += kSizeBytes) {
    layout.shape.push_back(static_cast<std::int64_t>(big_endian(head.subspan(at, kSizeBytes))));
  }
  layout.bytes = checked_bytes(layout.type, layout.shape, source, kPrefixBytes);
  return layout;
}

}  // namespace runahead::array_files
