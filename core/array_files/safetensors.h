#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// Whether a file begins like a .safetensors file: the header's length in 8 bytes, then '{'.
[[nodiscard]] bool is_safetensors(const FileBytes& file);

/// Reads a tensor of a .safetensors file. Only its own description is examined, so the file may
/// hold other tensors of unsupported types.
/// @param name  As in read_array.
[[nodiscard]] Array read_safetensors(const FileBytes& file, const std::string& name);

/// All tensors of a .safetensors file, by name; there may be none. @throws ConfigError like
/// read_array.
[[nodiscard]] std::map<std::string, Array> read_all_safetensors(const std::filesystem::path& path);

/// Writes arrays to a safetensors file, as a whole or not at all. Holds the content in memory
/// meanwhile. @throws Error if it cannot be written.
void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, Array>& arrays);

}  // namespace runahead::array_files
