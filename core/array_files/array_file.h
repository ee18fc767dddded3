#pragma once

#include <filesystem>
#include <string>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// Reads an array from a file of numpy (.npy, .npz), of MNIST (IDX, also in gzip) or of
/// safetensors. The format is detected from the file's first bytes, not from its suffix.
///
/// An array stored in the file exactly as in memory is mapped, not read: the system reads a part
/// when it is first used, and can drop it again. It is copied if it is compressed, in the other
/// byte order, in column-major (Fortran) order, or not aligned to the size of its elements.
/// map_file documents what must not happen to the file meanwhile.
///
/// @param name  The array's name in a file of several (.npz, .safetensors); "" if there is only
/// one.
/// @throws ConfigError that names the file, the byte offset of the error, what was found and what
///         is allowed; for a wrong `name`, the names that the file has, nearest first.
[[nodiscard]] Array read_array(const std::filesystem::path& path, const std::string& name);

}  // namespace runahead::array_files
