#pragma once

#include <array>

/// Settings of a device that configs name, too.
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

/// What happens to the memory of freed results.
enum class FreedMemory {
  kReturned,  ///< Returned to the C library, so that it leaves RSS.
  kKept,      ///< Reused for later results, without page faults.
};
constexpr auto enum_names(FreedMemory) { return std::array{"returned", "kept"}; }

/// The library that computes a device's matrix products.
enum class ProductLibrary {
  kLibTorch,  ///< The one that LibTorch uses: results equal those of `cpu` bit for bit.
  kFastest,   ///< oneDNN where it is faster on this machine: results differ by rounding.
};
constexpr auto enum_names(ProductLibrary) { return std::array{"libtorch", "fastest"}; }

/// Which of the ready operations a free worker takes (among those of the highest priority).
enum class ReadyOrder {
  kFirstReady,   ///< The one that became ready first (FIFO, as in MXNet).
  kOldestFirst,  ///< The one that was pushed first.
};
constexpr auto enum_names(ReadyOrder) { return std::array{"first_ready", "oldest_first"}; }

}  // namespace runahead::engine
