#pragma once

#include <filesystem>
#include <memory>

#include "core/slurm/submit_host.h"

namespace runahead::slurm {

/// This machine: a command is a child that gets a minute, and two for `sbatch`, which by itself
/// tries again for a while. While it lives, SIGINT, SIGTERM and SIGHUP no longer end the process
/// but make `interrupted` true.
class ProcessSubmitHost final : public SubmitHost {
 public:
  /// @param log_folder  Made if missing; holds the output of the last command, which is bounded.
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
