#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/array_files/inflater.h"
#include "core/array_files/layout.h"

namespace runahead::array_files {

/// How the header of a format is read.
struct HeaderFormat {
  Layout (*read)(std::span<const std::byte> head, const std::string& source) = nullptr;
  std::size_t most_bytes = 0;  ///< Largest size of a header.
};

/// Reads the array that all of the compressed data inflates to. Memory for its elements is
/// allocated only if their number is consistent with the compressed data and `claimed_bytes`.
/// @param claimed_bytes  The inflated size that the file states elsewhere.
/// @throws ConfigError whose offsets are within the inflated data, which it calls `source`.
[[nodiscard]] Array inflate_array(Inflater& inflater, const HeaderFormat& format,
                                  const std::string& source,
                                  std::optional<std::uint64_t> claimed_bytes);

}  // namespace runahead::array_files
