#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/slurm/submit_host.h"

namespace runahead::slurm {

/// Slurm did not answer; the message quotes the command. A controller that restarts answers again.
class NoAnswerError : public Error {
 public:
  using Error::Error;
};

/// The states of a job, as far as the launcher distinguishes them.
enum class JobState {
  kPending,      ///< Also requeued, held, being configured.
  kRunning,      ///< Also suspended or completing, and states that this version does not know.
  kCompleted,    ///< Exit code 0.
  kFailed,       ///< Another exit code or a signal; without cgroups also over its memory limit.
  kCancelled,    ///< By a user or an administrator.
  kTimeout,      ///< Over its time limit, or past its deadline.
  kOutOfMemory,  ///< Over its memory limit, where cgroups enforce it.
  kNodeFail,     ///< Its node failed or did not boot.
  kPreempted,    ///< Made way for a job of higher priority.
};

/// Whether a job in this state has ended for good.
[[nodiscard]] bool has_ended(JobState state) noexcept;

/// One task of an array, as `squeue` shows it.
struct QueuedTask {
  JobState state = JobState::kPending;
  std::string reason{};  ///< Why it waits: "Resources", "None".
};

/// Task index to task.
using QueuedTasks = std::map<std::int64_t, QueuedTask>;

/// How a task ended, as `scontrol show job` shows it.
struct JobDetail {
  std::string node{};          ///< Where it ran; empty if it did not.
  std::string time_limit{};    ///< "00:01:00", "UNLIMITED".
  std::string memory_limit{};  ///< "264M"; empty: none.
  int exit_code = 0;
  int signal = 0;  ///< 0: none.
};

/// Slurm, through sbatch, squeue, scontrol and scancel; never sacct, which needs a database. Every
/// function blocks until its command has ended, and throws NoAnswerError unless it says otherwise.
class SlurmClient {
 public:
  /// `host` must outlive this.
  explicit SlurmClient(SubmitHost& host) : host_(host) {}

  /// MaxArraySize of the cluster, the most tasks of an array.
  /// @throws UnavailableError if there is no Slurm here, or none that answers.
  [[nodiscard]] std::int64_t max_array_size();

  /// @return the array's job id. @throws Error if Slurm rejects the script.
  [[nodiscard]] std::string submit(const std::filesystem::path& script);

  /// The id of the array with that job name, among the jobs that Slurm still remembers.
  [[nodiscard]] std::optional<std::string> find_array(const std::string& name);

  /// The tasks that Slurm still remembers, ended ones included. A task cancelled while it was
  /// pending is not among them; none is if Slurm has forgotten the array.
  [[nodiscard]] QueuedTasks tasks_of(const std::string& job_id);

  /// nullopt if Slurm has forgotten the task.
  [[nodiscard]] std::optional<JobDetail> detail_of(const std::string& job_id, std::int64_t task);

  /// Cancels a whole array; it may have ended already.
  void cancel(const std::string& job_id);

 private:
  SubmitHost& host_;
};

}  // namespace runahead::slurm
