#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/array_files/array.h"
#include "core/array_files/file_bytes.h"

namespace runahead::array_files {

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
