#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// Reads an array from a file of numpy (.npy, .npz), of MNIST (IDX, also in gzip) or of
/// safetensors. The format is found by the file's first bytes, not by its suffix.
///
/// An array that lies in the file as it lies in memory is mapped, not read: the system reads a part
/// when it is first used, and can drop it again. It is copied if it is compressed, in the other
/// byte order, in column-major (Fortran) order, or not aligned to the size of its elements.
/// map_file says what a file may not do meanwhile.
///
/// @param name  Of the array in a file of several (.npz, .safetensors); "" if it holds just one.
/// @throws ConfigError that names the file, the offset of what is wrong in bytes, what was found
/// and
///         what is allowed; for a wrong `name` the names that the file has, nearest first.
[[nodiscard]] Array read_array(const std::filesystem::path& path, const std::string& name);

/// The same of a file with this content, which is copied. @param source  What errors call it.
[[nodiscard]] Array read_array(std::span<const std::byte> content, const std::string& source,
                               const std::string& name);

/// All arrays of a .safetensors file, by their names. @throws ConfigError as read_array.
[[nodiscard]] std::map<std::string, Array> read_safetensors(const std::filesystem::path& path);

}  // namespace runahead::array_files
