#pragma once

#include <array>

namespace runahead::engine {

/// What happens to the memory of freed results.
enum class FreedMemory {
  kReturned,  ///< Returned to the C library, so that it leaves RSS.
  kKept,      ///< Reused for later results, without page faults.
};
constexpr auto enum_names(FreedMemory) { return std::array{"returned", "kept"}; }

}  // namespace runahead::engine
