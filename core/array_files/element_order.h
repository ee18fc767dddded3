#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runahead::array_files {

/// Copies the elements of an array of `shape`, at most kMostDimensions, from column-major order
/// (the first index changes fastest) to row-major order.
void copy_to_row_major(const std::vector<std::int64_t>& shape, std::size_t element_bytes,
                       const std::byte* from, std::byte* to);

/// Reverses the bytes of each element; elements have 2, 4 or 8 bytes.
void reverse_elements(std::byte* data, std::uint64_t bytes, std::size_t element_bytes);

}  // namespace runahead::array_files
