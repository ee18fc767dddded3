#pragma once

#include <filesystem>

#include "core/slurm/submit_host.h"
#include "core/sweep/child_process.h"
#include "core/sweep/interrupt_watch.h"

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

  [[nodiscard]] CommandOutput call(const std::vector<std::string>& command) override;
  void wait(double seconds) override;
  [[nodiscard]] double now_seconds() override;
  [[nodiscard]] bool interrupted() override;

 private:
  std::filesystem::path log_folder_;
  sweep::SingleChild child_{};
  int interrupts_ = 0;
  int interrupts_seen_ = 0;  ///< Those that interrupted() reported; later ones end a wait.
  sweep::InterruptWatch watch_{child_.context(), [this](int) { ++interrupts_; }};
};

}  // namespace runahead::slurm
