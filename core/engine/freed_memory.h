#pragma once

#include <array>

namespace runahead::engine {

/// What becomes of the memory of results that is free again.
enum class FreedMemory {
  kReturned,  ///< It goes back to the C library, so that it leaves RSS.
  kKept,      ///< Later results get it, without page faults.
};
constexpr auto enum_names(FreedMemory) { return std::array{"returned", "kept"}; }

}  // namespace runahead::engine
