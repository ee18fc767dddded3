#pragma once

#include <string_view>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// The beginning of a .npy file, before its version.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// Reads the header of a .npy file of format 1.0, 2.0 or 3.0: a Python literal, read as JSON, so
/// that a list may stand for a tuple. numpy writes about 128 bytes and reads up to 10,000; this
/// reads up to kMostHeaderBytes.
///
///     {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }
///
/// @param head  The file, or enough of its beginning to contain the header.
[[nodiscard]] Layout read_npy_header(std::span<const std::byte> head, const std::string& source);

}  // namespace runahead::array_files
