#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace runahead::slurm {

/// What has to happen before a task starts whose reason to wait does not pass by itself.
enum class Remedy {
  kRelease,  ///< Somebody releases it.
  kChange,   ///< What it asks for is changed, or the cluster.
};

/// A reason that may never pass by itself, as "Resources" and "Priority" do.
struct LastingReason {
  std::string_view name{};  ///< The reason without what differs from task to task.
  Remedy remedy = Remedy::kChange;
};

/// Reads what `squeue` prints for %r of a pending task: "BadConstraints", "ReqNodeNotAvail,
/// UnavailableNodes:node1", "launch failed requeued held". @return nullopt for a reason that passes
/// when others end, or with time, and for one that this version does not know; `name` is a part of
/// `reason`.
[[nodiscard]] std::optional<LastingReason> lasting_reason(std::string_view reason);

/// Tasks that may wait for ever.
struct LastingWait {
  std::string reason{};  ///< As Slurm tells it of one of them.
  Remedy remedy = Remedy::kChange;
  std::size_t tasks = 0;
};

/// A sentence for the user: how many tasks of the array `job_id` wait for what, and what to do.
[[nodiscard]] std::string describe(const LastingWait& wait, const std::string& job_id);

}  // namespace runahead::slurm
