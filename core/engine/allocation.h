#pragma once

#include <array>

namespace runahead::engine {

/// When a device claims an output's memory, and when that memory is free again.
enum class Allocation {
  kAtIssue,        ///< At issue; free when no tensor and no operation in flight needs it.
  kInStreamOrder,  ///< At issue; free, for later issues, when no tensor needs it.
  kCaching,        ///< As CUDA's caching allocator does, with its segments and splits.
  kAtExecution,    ///< When the operation runs; free as for kAtIssue.
};
constexpr auto enum_names(Allocation) {
  return std::array{"at_issue", "in_stream_order", "caching", "at_execution"};
}

}  // namespace runahead::engine
