#pragma once

#include <string_view>

#include "core/array_files/layout.h"

namespace runahead::array_files {

/// The beginning of a .npy file, before its version.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// An upper bound on the header's size, including its beginning. numpy writes about 128 bytes and
/// reads up to 10,000.
inline constexpr std::size_t kMostNpyHeaderBytes = std::size_t{64} << 10U;

/// Reads the header of a .npy file of format 1.0, 2.0 or 3.0.
/// @param head  The file, or enough of its beginning to contain the header.
[[nodiscard]] Layout read_npy_header(std::span<const std::byte> head, const std::string& source);

}  // namespace runahead::array_files
