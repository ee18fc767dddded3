#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/array_files/array.h"

namespace runahead::array_files {

/// The compressed data of an array and its header.
struct CompressedArray {
  std::uint64_t compressed_bytes = 0;
  /// The inflated size, if the file states it outside of the data.
  std::optional<std::uint64_t> inflated_bytes{};
  /// Inflates what comes next into `out`, from its beginning, as far as the data goes. Returns the
  /// number of bytes written.
  std::function<std::size_t(std::span<std::byte> out)> inflate{};
};

/// Reads a header from the beginning of an array's data.
using HeaderReader = Layout (*)(std::span<const std::byte> head, const std::string& source);

/// Reads the array that all of the compressed data inflates to. Memory for its elements is
/// allocated only if their number is consistent with the compressed data and `inflated_bytes`.
/// @throws ConfigError whose offsets are within the inflated data, which it calls `source`.
[[nodiscard]] Array inflate_array(const CompressedArray& compressed, HeaderReader read_header,
                                  const std::string& source);

}  // namespace runahead::array_files
