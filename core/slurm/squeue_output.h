#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/slurm/job_state.h"

namespace runahead::slurm {

/// What the queue says of one task of an array.
struct QueuedTask {
  JobState state = JobState::kPending;
  std::string reason{};  ///< Why it waits or ended: "Resources", "None".
};

/// Task index to what the queue says of it.
using QueuedTasks = std::map<std::int64_t, QueuedTask>;

/// The format that parse_squeue reads, for `squeue --format`.
inline constexpr const char* kSqueueFormat = "%i|%T|%r";

/// Reads the lines of `squeue --noheader --array --format=%i|%T|%r`, which come in no order.
/// Pending tasks may share a line ("12_[4-6,9%2]"). Lines that are of another form are left out: a
/// warning of a plugin, say. So is what follows where more tasks are named than an array has, which
/// names each once.
[[nodiscard]] QueuedTasks parse_squeue(std::string_view text);

}  // namespace runahead::slurm
