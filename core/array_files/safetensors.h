#pragma once

#include <map>
#include <string>

#include "core/array_files/array.h"
#include "core/array_files/file_bytes.h"

namespace runahead::array_files {

/// What the format calls a type of elements.
[[nodiscard]] const char* safetensors_name(ElementType type);

/// Whether a file begins as .safetensors does: the length of a header in 8 bytes, then '{'.
[[nodiscard]] bool is_safetensors(const FileBytes& file);

/// Reads a tensor of a .safetensors file. Only the description of that one is looked at, so types
/// that are not read may be there.
/// @param name  As in read_array.
[[nodiscard]] Array read_safetensors(const FileBytes& file, const std::string& name);

/// All tensors of a .safetensors file, by their names; none is allowed.
[[nodiscard]] std::map<std::string, Array> read_all_safetensors(const FileBytes& file);

}  // namespace runahead::array_files
