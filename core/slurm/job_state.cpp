#include "core/slurm/job_state.h"

#include <algorithm>
#include <array>
#include <utility>

namespace runahead::slurm {

namespace {

constexpr std::array<std::pair<std::string_view, JobState>, 29> kNames{{
    {"PENDING", JobState::kPending},           {"CONFIGURING", JobState::kPending},
    {"REQUEUED", JobState::kPending},          {"REQUEUE_FED", JobState::kPending},
    {"REQUEUE_HOLD", JobState::kPending},      {"SPECIAL_EXIT", JobState::kPending},
    {"RESV_DEL_HOLD", JobState::kPending},     {"POWER_UP_NODE", JobState::kPending},
    {"RUNNING", JobState::kRunning},           {"SUSPENDED", JobState::kRunning},
    {"STOPPED", JobState::kRunning},           {"SIGNALING", JobState::kRunning},
    {"RESIZING", JobState::kRunning},          {"STAGE_OUT", JobState::kCompleting},
    {"COMPLETING", JobState::kCompleting},     {"UPDATE_DB", JobState::kCompleting},
    {"COMPLETED", JobState::kCompleted},       {"FAILED", JobState::kFailed},
    {"LAUNCH_FAILED", JobState::kFailed},      {"RECONFIG_FAIL", JobState::kFailed},
    {"CANCELLED", JobState::kCancelled},       {"REVOKED", JobState::kNodeFail},
    {"TIMEOUT", JobState::kTimeout},           {"DEADLINE", JobState::kTimeout},
    {"OUT_OF_MEMORY", JobState::kOutOfMemory}, {"NODE_FAIL", JobState::kNodeFail},
    {"BOOT_FAIL", JobState::kNodeFail},        {"PREEMPTED", JobState::kPreempted},
    {"EXPEDITING", JobState::kPending},
}};

}  // namespace

JobState job_state_of(std::string_view name) noexcept {
  const std::string_view word = name.substr(0, name.find_first_of(" +"));
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& entry) { return entry.first == word; });
  return found == kNames.end() ? JobState::kOther : found->second;
}

std::string_view words_of(JobState state) noexcept {
  switch (state) {
    case JobState::kPending:
      return "pending";
    case JobState::kRunning:
      return "running";
    case JobState::kCompleting:
      return "completing";
    case JobState::kCompleted:
      return "completed";
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
    case JobState::kTimeout:
      return "timed out";
    case JobState::kOutOfMemory:
      return "out of memory";
    case JobState::kNodeFail:
      return "node failed";
    case JobState::kPreempted:
      return "preempted";
    case JobState::kOther:
      break;
  }
  return "in another state";
}

bool has_ended(JobState state) noexcept {
  return state != JobState::kPending && state != JobState::kRunning &&
         state != JobState::kCompleting && state != JobState::kOther;
}

bool was_taken_away(JobState state) noexcept {
  return state == JobState::kNodeFail || state == JobState::kPreempted;
}

}  // namespace runahead::slurm
