#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/slurm/job_state.h"

namespace runahead::slurm {

/// What `scontrol show job` tells of one task.
struct JobDetail {
  JobState state = JobState::kPending;
  std::string reason{};        ///< "NonZeroExitCode", "JobLaunchFailure", "None".
  std::string node{};          ///< Where it ran; empty if it did not.
  std::string time_limit{};    ///< "00:01:00", "UNLIMITED".
  std::string memory_limit{};  ///< "264M"; empty: none that scontrol names.
  int exit_code = 0;
  int signal = 0;  ///< That ended it; 0: none.
};

/// Reads one job of `scontrol --oneliner show job`; of several lines the first.
/// @return nullopt if it names no JobState.
[[nodiscard]] std::optional<JobDetail> parse_job_detail(std::string_view text);

}  // namespace runahead::slurm
