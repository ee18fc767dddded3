#pragma once

#include <string>
#include <vector>

namespace runahead::slurm {

/// What a command printed, and how it ended.
struct CommandOutput {
  int exit_code = 0;  ///< -1: a signal ended it, or it did not end in time.
  std::string out{};
  std::string err{};
};

/// The machine that submits: all that the launcher needs of the world but files. Tests have one of
/// their own, whose time passes only when it is waited for. Used from one thread.
class SubmitHost {
 public:
  virtual ~SubmitHost() = default;

  /// Runs a program that is found by PATH, and blocks until it has ended or its time limit has
  /// passed. An interrupt does not end it. @throws UnavailableError if there is no such program.
  [[nodiscard]] virtual CommandOutput call(const std::vector<std::string>& command) = 0;

  /// Blocks for so long, or until the user asks to stop; not at all if that was since interrupted()
  /// was last called.
  virtual void wait(double seconds) = 0;

  /// Seconds since some moment; never less than before.
  [[nodiscard]] virtual double now_seconds() = 0;

  /// Whether the user has asked to stop.
  [[nodiscard]] virtual bool interrupted() = 0;
};

}  // namespace runahead::slurm
