#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/slurm/submit_host.h"

namespace runahead::slurm {

/// Slurm did not answer; the message quotes the command. A restarting controller answers later.
class NoAnswerError : public Error {
 public:
  using Error::Error;
};

/// Slurm has not accepted a script.
class RejectedError : public Error {
 public:
  RejectedError(const std::string& what, bool is_too_large)
      : Error(what), is_too_large_(is_too_large) {}
  /// Whether a smaller array may be accepted.
  [[nodiscard]] bool is_too_large() const noexcept { return is_too_large_; }

 private:
  bool is_too_large_;
};

/// Whether a text that Slurm has printed contains one of these.
[[nodiscard]] bool contains_any(std::string_view text, std::span<const std::string_view> parts);

/// The states of a job that the launcher distinguishes.
enum class JobState {
  kPending,      ///< Also requeued, held, being configured.
  kRunning,      ///< Also suspended, completing, and states unknown to this version.
  kCompleted,    ///< Exit code 0.
  kFailed,       ///< Another exit code or a signal; without cgroups also out of memory.
  kCancelled,    ///< By a user or an administrator.
  kTimeout,      ///< Over its time limit, or past its deadline.
  kOutOfMemory,  ///< Over its memory limit, where cgroups enforce it.
  kNodeFail,     ///< Its node failed or did not boot.
  kPreempted,    ///< Preempted by a job of higher priority.
};

/// Whether a job in this state has ended for good.
[[nodiscard]] bool has_ended(JobState state) noexcept;

/// One task of an array, as `squeue` shows it.
struct QueuedTask {
  JobState state = JobState::kPending;
  std::string reason{};  ///< Why it waits: "Resources", "None"; at most 64 characters.
};

/// Task index to task.
using QueuedTasks = std::map<std::int64_t, QueuedTask>;

/// How a task ended, as `scontrol show job` shows it.
struct JobDetail {
  std::string node{};          ///< Where it ran; empty if it never ran.
  std::string time_limit{};    ///< "00:01:00", "UNLIMITED".
  std::string memory_limit{};  ///< "264M"; empty: none.
  int exit_code = 0;
  int signal = 0;  ///< 0: none.
};

/// Talks to Slurm through sbatch, squeue, scontrol and scancel; never sacct, which needs a
/// database. Every function blocks until its command has ended, and throws NoAnswerError if Slurm
/// does not answer, unless stated otherwise.
class SlurmClient {
 public:
  /// `host` must outlive this object.
  explicit SlurmClient(SubmitHost& host) : host_(host) {}

  /// The most tasks of an array: the cluster's MaxArraySize or max_array_tasks.
  /// @throws UnavailableError if there is no Slurm here, or it does not answer.
  [[nodiscard]] std::int64_t max_array_size();

  /// @return the array's job id. @throws RejectedError if Slurm certainly has not accepted the
  ///         script; Error if that is not known.
  [[nodiscard]] std::string submit(const std::filesystem::path& script);

  /// The id of the array with that job name, among the jobs that Slurm still remembers.
  [[nodiscard]] std::optional<std::string> find_array(const std::string& name);

  /// The tasks that Slurm still remembers, including ended ones. Excludes tasks cancelled while
  /// pending. Empty if Slurm has forgotten the array.
  [[nodiscard]] QueuedTasks tasks_of(const std::string& job_id);

  /// Details of a task; nullopt if Slurm has forgotten it.
  [[nodiscard]] std::optional<JobDetail> detail_of(const std::string& job_id, std::int64_t task);

  /// Cancels a whole array, which may have ended already.
  void cancel(const std::string& job_id);

 private:
  SubmitHost& host_;
};

}  // namespace runahead::slurm
