#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/slurm/job_detail.h"
#include "core/slurm/squeue_output.h"
#include "core/slurm/submit_host.h"

namespace runahead::slurm {

/// Slurm did not answer; the message has the command's words. It may pass: a controller restarts.
class NoAnswerError : public Error {
 public:
  using Error::Error;
};

/// Slurm, through its commands. Every function blocks until its command has ended, and throws
/// NoAnswerError unless it says otherwise.
class SlurmClient {
 public:
  /// `host` must outlive this.
  explicit SlurmClient(SubmitHost& host) : host_(host) {}

  /// MaxArraySize of the cluster: one more than the highest index of a task.
  /// @throws UnavailableError if there is no Slurm here, or none that answers.
  [[nodiscard]] std::int64_t max_array_size();

  /// @return the array's job id. @throws Error if Slurm takes it not, for whatever reason.
  [[nodiscard]] std::string submit(const std::filesystem::path& script);

  /// The id of the array of that name, of those that Slurm still knows.
  [[nodiscard]] std::optional<std::string> find_array(const std::string& name);

  /// The tasks of an array that Slurm still knows, ended ones too; none if it does not know the
  /// array. A task that was cancelled while it was pending is not among them.
  [[nodiscard]] QueuedTasks tasks_of(const std::string& job_id);

  /// nullopt if Slurm does not know the task (any more).
  [[nodiscard]] std::optional<JobDetail> detail_of(const std::string& job_id, std::int64_t task);

  /// Cancels a whole array. It is no error if it has ended.
  void cancel(const std::string& job_id);

  /// Cancels some tasks of an array. It is no error if they have ended.
  void cancel(const std::string& job_id, const std::vector<std::int64_t>& tasks);

 private:
  /// The output of a command, whether it ended well or said that there is no such job.
  CommandOutput ask(const std::vector<std::string>& command);

  SubmitHost& host_;
};

}  // namespace runahead::slurm
