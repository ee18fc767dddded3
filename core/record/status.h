#pragma once

#include <optional>
#include <string_view>

namespace runahead::record {

/// How a run ended. The set is closed: scripts rely on it.
enum class Status {
  kOk,
  kFailed,       ///< An operation, or the run itself, threw.
  kCrashed,      ///< Ended by a signal that it caused itself, or without a record.
  kTimedOut,     ///< Killed after the cell's timeout.
  kOutOfMemory,  ///< An allocation failed, or it was killed for memory.
  kInterrupted,  ///< The user stopped it; the record has what was measured so far.
  kSkipped,      ///< Not run, because it cannot run here.
};

/// "ok", "failed", "crashed", "timed_out", "out_of_memory", "interrupted", "skipped".
[[nodiscard]] std::string_view name_of(Status status) noexcept;

/// The status with that name; nullopt if there is none.
[[nodiscard]] std::optional<Status> status_of(std::string_view name) noexcept;

}  // namespace runahead::record
