#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace runahead::apps {

/// A process that this one watches until it ends: one that it started, or one that was there.
class AttendedProcess {
 public:
  virtual ~AttendedProcess() = default;

  /// Blocks until it has ended, or this process was asked to stop. To be called once.
  /// @return What this process should exit with.
  virtual int wait() = 0;
};

/// Starts a command with this process's streams, in its process group. Passes SIGINT, SIGTERM and
/// SIGHUP on to it, unless a terminal has sent them to both. Its exit code is passed on; 128 plus
/// the number of the signal that ended it, as shells do.
/// @param command  A program (looked up in PATH) and its arguments; not empty.
/// @throws UnavailableError if there is no such program, or it cannot be executed.
[[nodiscard]] std::unique_ptr<AttendedProcess> start_command(
    const std::vector<std::string>& command);

/// Attends a process that runs already. SIGINT, SIGTERM and SIGHUP end the attendance, not the
/// process; `wait` then returns ExitCode::kInterrupted, else ExitCode::kOk.
/// @throws UnavailableError if there is no such process.
[[nodiscard]] std::unique_ptr<AttendedProcess> attend_process(pid_t process_id);

}  // namespace runahead::apps
