#pragma once

#include <filesystem>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// The beginning of a .npz file, which is a zip archive, with or without entries.
inline constexpr std::string_view kZipMagic = "PK\x03\x04";
inline constexpr std::string_view kEmptyZipMagic = "PK\x05\x06";

/// Reads an array written by numpy.savez or numpy.savez_compressed: the entry NAME.npy of a zip
/// archive, stored or deflated, also of more than 4 GiB (zip64). Errors in that entry name it, and
/// their offset is within the .npy file. The checksum of a deflated entry is checked; that of a
/// stored one is not, because it is mapped like a .npy file. Missing bytes at the very end of the
/// archive are ignored.
/// @param file  The file at `path`, mapped.
/// @param name  As in read_array.
[[nodiscard]] Array read_npz(const std::filesystem::path& path, const FileBytes& file,
                             const std::string& name);

}  // namespace runahead::array_files
