#pragma once

#include <filesystem>
#include <memory>

#include "core/slurm/submit_host.h"

namespace runahead::slurm {

/// Checks, before anything is written, that this machine can submit. @throws UnavailableError if
/// there is no `sbatch`.
void require_slurm();

/// Submits from this machine. A command is a child process with a time limit of one minute, or two
/// for `sbatch`, which retries on its own. During its lifetime, SIGINT, SIGTERM and SIGHUP make
/// interrupted() true instead of ending the process.
class ProcessSubmitHost final : public SubmitHost {
 public:
  /// @param log_folder  Created if missing; holds the bounded output of the last command.
  explicit ProcessSubmitHost(std::filesystem::path log_folder);
  ~ProcessSubmitHost() override;

  [[nodiscard]] CommandOutput call(const std::vector<std::string>& command) override;
  void wait(double seconds) override;
  [[nodiscard]] double now_seconds() override;
  [[nodiscard]] bool interrupted() override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::slurm
