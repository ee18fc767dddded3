#pragma once

#include <filesystem>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// Reads the header of an IDX file, MNIST's format: two zero bytes, the element type, the number of
/// dimensions, then the size of each dimension in 4 bytes, most significant first.
/// @param head  The file, or enough of its beginning to contain the header.
[[nodiscard]] Layout read_idx_header(std::span<const std::byte> head, const std::string& source);

/// Reads an IDX file in gzip, which may have several members. Their checksums are checked; what is
/// behind them is ignored, as gzip does.
/// @throws ConfigError if it is damaged; its offsets are within the inflated file.
/// @param file  The file at `path`, mapped.
[[nodiscard]] Array read_idx_in_gzip(const std::filesystem::path& path, const FileBytes& file);

}  // namespace runahead::array_files
