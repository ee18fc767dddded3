#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// The contents of a .npy file's header.
struct NpyDictionary {
  ElementType type = ElementType::kFloat32;
  bool is_big_endian = false;
  bool is_column_major = false;
  std::vector<std::int64_t> shape{};
  std::uint64_t shape_at = 0;  ///< Its offset in the file.
};

/// Reads one Python literal, and no other Python:
///
///     {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }
///
/// The keys come in any order, each once; spaces may follow the literal, and a newline ends it.
/// @param offset  Offset of the text in the file.
[[nodiscard]] NpyDictionary read_npy_dictionary(std::string_view text, const std::string& source,
                                                std::uint64_t offset);

}  // namespace runahead::array_files
