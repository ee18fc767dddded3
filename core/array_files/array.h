#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/array_files/file_bytes.h"

namespace runahead::array_files {

enum class ElementType {
  kBool,
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64
};

/// Bytes per element.
[[nodiscard]] std::size_t size_of(ElementType type);

/// What the formats call an element type; nullopt where a format does not have it.
struct ElementTypeNames {
  ElementType type = ElementType::kFloat32;
  std::string_view safetensors{};
  std::optional<std::string_view> npy{};  ///< Without the byte order.
  std::optional<int> idx{};
};

inline constexpr std::array<ElementTypeNames, 10> kElementTypes{
    {{ElementType::kBool, "BOOL", "b1", {}},
     {ElementType::kUint8, "U8", "u1", 0x08},
     {ElementType::kInt8, "I8", "i1", 0x09},
     {ElementType::kInt16, "I16", "i2", 0x0B},
     {ElementType::kInt32, "I32", "i4", 0x0C},
     {ElementType::kInt64, "I64", "i8", {}},
     {ElementType::kFloat16, "F16", "f2", {}},
     {ElementType::kBfloat16, "BF16", {}, {}},
     {ElementType::kFloat32, "F32", "f4", 0x0D},
     {ElementType::kFloat64, "F64", "f8", 0x0E}}};

/// The element type that a format calls `name`.
[[nodiscard]] std::optional<ElementType> type_called(const auto& name,
                                                     auto ElementTypeNames::*format) {
  for (const ElementTypeNames& names : kElementTypes) {
    if (names.*format == name) return names.type;
  }
  return std::nullopt;
}

/// An array in row-major order and the machine's byte order.
struct Array {
  ElementType type = ElementType::kFloat32;
  std::vector<std::int64_t> shape{};  ///< Empty: one element, without dimensions.
  /// The elements, aligned to their size. Keeps their memory alive.
  std::shared_ptr<const std::byte> data{};

  /// Bytes of all elements.
  [[nodiscard]] std::uint64_t bytes() const;
};

inline constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 10U;  ///< Before the elements.
inline constexpr std::size_t kMostDimensions = 32;
inline constexpr std::uint64_t kMostArrayBytes = std::uint64_t{1} << 40U;

/// How an array is stored in a file, according to the file's header.
struct Layout {
  ElementType type = ElementType::kFloat32;
  std::vector<std::int64_t> shape{};
  bool is_big_endian = false;
  bool is_column_major = false;  ///< The first index changes fastest.
  std::uint64_t offset = 0;      ///< Of the first element.
  std::uint64_t bytes = 0;       ///< Of the elements.
};

/// The bytes of an array of this shape. Its strides do not overflow, even if a size is 0.
/// @param shape_offset  Where the file states the shape.
/// @throws ConfigError if it has more than kMostDimensions or, counting sizes of 0 as 1, is larger
///         than kMostArrayBytes.
[[nodiscard]] std::uint64_t checked_bytes(ElementType type, const std::vector<std::int64_t>& shape,
                                          const std::string& source, std::uint64_t shape_offset);

/// The array that takes up the rest of `file` from `layout.offset` on.
/// @throws ConfigError if the rest has another size, or is not an array of its type: a bool of 2.
[[nodiscard]] Array array_at_the_end(const FileBytes& file, const Layout& layout);

/// The array whose elements are the `layout.bytes` bytes at `data`: the same memory if they are
/// stored there as Array requires, otherwise a copy.
/// @throws ConfigError, with `source` and an offset that starts at `layout.offset` for the first
///         byte, if they are not valid elements of their type: a bool of 2.
[[nodiscard]] Array array_of(const Layout& layout, const std::shared_ptr<const std::byte>& data,
                             const std::string& source);

}  // namespace runahead::array_files
