#pragma once

#include <array>

namespace runahead::engine {

/// Which of the ready operations a free worker takes (among those of the highest priority).
enum class ReadyOrder {
  kFirstReady,   ///< The one that became ready first (FIFO, as in MXNet).
  kOldestFirst,  ///< The one that was pushed first.
};
constexpr auto enum_names(ReadyOrder) { return std::array{"first_ready", "oldest_first"}; }

}  // namespace runahead::engine
