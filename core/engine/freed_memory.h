#pragma once

namespace runahead::engine {

/// What becomes of the memory of results that is free again.
enum class FreedMemory {
  kReturned,  ///< It goes back to the C library, so that it leaves RSS.
  kKept,      ///< Later results get it, without page faults.
};

}  // namespace runahead::engine
