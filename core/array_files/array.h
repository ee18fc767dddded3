#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

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

/// An array in row-major order and the machine's byte order.
struct Array {
  ElementType type = ElementType::kFloat32;
  std::vector<std::int64_t> shape{};  ///< Empty: one element, without dimensions.
  /// The elements, aligned to their size. Keeps their memory alive.
  std::shared_ptr<const std::byte> data{};

  /// Bytes of all elements.
  [[nodiscard]] std::uint64_t bytes() const;
};

}  // namespace runahead::array_files
