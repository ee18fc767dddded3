#pragma once

#include "core/array_files/layout.h"

namespace runahead::array_files {

/// Reads the header of an IDX file, MNIST's format: two zero bytes, the element type, the number of
/// dimensions, then the size of each dimension in 4 bytes, most significant first.
/// @param head  The file, or enough of its beginning to contain the header.
[[nodiscard]] Layout read_idx_header(std::span<const std::byte> head, const std::string& source);

/// An upper bound on the header's size.
inline constexpr std::size_t kMostIdxHeaderBytes = 4 + 4 * kMostDimensions;

}  // namespace runahead::array_files
