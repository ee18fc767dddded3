#pragma once

#include <map>
#include <string>

#include "core/array_files/array.h"
#include "core/array_files/file_bytes.h"

namespace runahead::array_files {

/// The format's name for an element type.
[[nodiscard]] const char* safetensors_name(ElementType type);

/// Whether a file begins like a .safetensors file: the header's length in 8 bytes, then '{'.
[[nodiscard]] bool is_safetensors(const FileBytes& file);

/// Reads a tensor of a .safetensors file. Only its own description is examined, so the file may
/// hold other tensors of unsupported types.
/// @param name  As in read_array.
[[nodiscard]] Array read_safetensors(const FileBytes& file, const std::string& name);

/// All tensors of a .safetensors file, by name; there may be none.
[[nodiscard]] std::map<std::string, Array> read_all_safetensors(const FileBytes& file);

}  // namespace runahead::array_files
