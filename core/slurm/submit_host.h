#pragma once

#include <string>
#include <vector>

namespace runahead::slurm {

/// What a command printed, and how it ended.
struct CommandOutput {
  int exit_code = 0;  ///< -1: ended by a signal or at its time limit.
  std::string out{};
  std::string err{};
};

/// The machine that submits: everything the launcher needs except files. Tests use a fake with a
/// clock of its own. Used from one thread.
class SubmitHost {
 public:
  virtual ~SubmitHost() = default;

  /// Runs a program found in PATH and blocks until it has ended, at the latest at its time limit.
  /// An interrupt does not end it. @throws UnavailableError if there is no such program.
  [[nodiscard]] virtual CommandOutput call(const std::vector<std::string>& command) = 0;

  /// Blocks for that long, or until the user interrupts. Returns at once after an interrupt that
  /// interrupted() has not reported yet.
  virtual void wait(double seconds) = 0;

  /// A monotonic clock.
  [[nodiscard]] virtual double now_seconds() = 0;

  /// Whether the user has interrupted.
  [[nodiscard]] virtual bool interrupted() = 0;
};

}  // namespace runahead::slurm
