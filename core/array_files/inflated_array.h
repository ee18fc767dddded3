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
  std::size_t most_bytes = 0;  ///< Of a header.
};

/// Reads the array that all of the compressed data inflates to. Memory for its elements is taken
/// only where the header, the compressed data and `claimed_bytes` allow their number.
/// @param claimed_bytes  What the file says elsewhere that it inflates to.
/// @throws ConfigError whose offsets are within the inflated data, which it calls `source`.
[[nodiscard]] Array inflate_array(Inflater& inflater, const HeaderFormat& format,
                                  const std::string& source,
                                  std::optional<std::uint64_t> claimed_bytes);

}  // namespace runahead::array_files
