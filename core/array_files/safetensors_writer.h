#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// Writes arrays to a safetensors file, as a whole or not at all. Holds the content in memory
/// meanwhile. @throws Error if it cannot be written.
void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, Array>& arrays);

}  // namespace runahead::array_files
