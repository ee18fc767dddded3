#pragma once

#include "core/array_files/layout.h"

namespace runahead::array_files {

/// The header of an IDX file, the format of MNIST: two zero bytes, the type of the elements, the
/// number of dimensions, then the size of each dimension in 4 bytes, the most significant first.
/// @param head  The file, or so much of it that the header is in there.
[[nodiscard]] Layout read_idx_header(std::span<const std::byte> head, const std::string& source);

/// An upper bound of the header's size.
inline constexpr std::size_t kMostIdxHeaderBytes = 4 + 4 * kMostDimensions;

}  // namespace runahead::array_files
