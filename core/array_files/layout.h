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

/// How an array lies in a file, as the file's header says.
struct Layout {
  ElementType type = ElementType::kFloat32;
  std::vector<std::int64_t> shape{};
  bool is_big_endian = false;
  bool is_column_major = false;  ///< The first index changes fastest.
  std::uint64_t offset = 0;      ///< Of the first element.
  std::uint64_t bytes = 0;       ///< Of the elements.
};

/// The bytes of an array of this shape. Strides of it do not overflow, even where a size is 0.
/// @param shape_offset  Where the file gives the shape.
/// @throws ConfigError if it has more than kMostDimensions or, counting sizes of 0 as 1, is larger
///         than kMostArrayBytes.
[[nodiscard]] std::uint64_t checked_bytes(ElementType type, const std::vector<std::int64_t>& shape,
                                          const std::string& source, std::uint64_t shape_offset);

/// The array that is all the rest of `file` from `layout.offset` on.
/// @throws ConfigError if the rest has another size, or is no array of its type: a bool of 2.
[[nodiscard]] Array array_at_the_end(const FileBytes& file, const Layout& layout);

/// The array whose elements are the `layout.bytes` bytes at `data`: the same memory if they lie
/// there as Array wants them, else a copy.
/// @throws ConfigError, with `source` and an offset that counts from the first of `layout.offset`,
///         if they are no elements of their type: a bool of 2.
[[nodiscard]] Array array_of(const Layout& layout, const std::shared_ptr<const std::byte>& data,
                             const std::string& source);

}  // namespace runahead::array_files
