#include "core/slurm/pending_reason.h"

#include <algorithm>
#include <array>

namespace runahead::slurm {

namespace {

/// Those that no pattern below covers.
constexpr std::array<std::string_view, 21> kLasting{
    "AccountNotAllowed",  "AssociationTimeLimit",
    "BadConstraints",     "BurstBufferOperation",
    "Constraints",        "DependencyNeverSatisfied",
    "FrontEndDown",       "InvalidAccount",
    "InvalidQOS",         "MaxMemPerLimit",
    "NodeDown",           "PartitionConfig",
    "PartitionDown",      "PartitionInactive",
    "PartitionNodeLimit", "PartitionTimeLimit",
    "QOSNotAllowed",      "QOSTimeLimit",
    "ReqNodeNotAvail",    "ReservationDeleted",
    "ReservationInvalid"};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "JobHeldUser", "launch failed requeued held".
bool is_held(std::string_view reason) {
  return has(reason, "Held") || has(reason, "held") || reason.starts_with("JobHold");
}

/// A limit on what one job may ask for, as against one on what runs at a time.
bool is_limit_of_one_job(std::string_view name) {
  const bool is_limit = name.starts_with("QOS") || name.starts_with("Assoc");
  return is_limit && (has(name, "PerJob") || has(name, "PerNode") || name.starts_with("QOSMin"));
}

}  // namespace

std::optional<LastingReason> lasting_reason(std::string_view reason) {
  if (is_held(reason)) return LastingReason{.name = reason, .remedy = Remedy::kRelease};
  // "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
  if (has(reason, "DOWN")) return LastingReason{.name = reason};
  const std::string_view name = reason.substr(0, reason.find(','));
  const bool is_lasting = std::find(kLasting.begin(), kLasting.end(), name) != kLasting.end() ||
                          is_limit_of_one_job(name);
  return is_lasting ? std::optional(LastingReason{.name = name}) : std::nullopt;
}

std::string describe(const LastingWait& wait, const std::string& job_id) {
  const std::string tasks = std::to_string(wait.tasks) + (wait.tasks == 1 ? " task" : " tasks");
  if (wait.remedy == Remedy::kRelease) {
    return "Slurm holds " + tasks + " of array " + job_id + " (" + wait.reason +
           "): release them with `scontrol release " + job_id + "`, or stop with Ctrl-C";
  }
  return "Slurm lets " + tasks + " of array " + job_id + " wait (" + wait.reason +
         "), which may never pass by itself: see `scontrol show job " + job_id +
         "`; stop with Ctrl-C and start again with other limits or --sbatch options, or have the "
         "cluster mended";
}

}  // namespace runahead::slurm
