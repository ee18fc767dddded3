#pragma once

#include <string_view>

#include "core/array_files/layout.h"

namespace runahead::array_files {

/// What a .npy file begins with, before its version.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// An upper bound of the header's size, of the beginning and all. numpy writes about 128 bytes and
/// reads 10,000.
inline constexpr std::size_t kMostNpyHeaderBytes = std::size_t{64} << 10U;

/// The header of a .npy file of format 1.0, 2.0 or 3.0.
/// @param head  The file, or so much of it that the header is in there.
[[nodiscard]] Layout read_npy_header(std::span<const std::byte> head, const std::string& source);

}  // namespace runahead::array_files
