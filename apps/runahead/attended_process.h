#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace runahead::apps {

/// A process that this one watches until it ends: a started command or an existing process.
class AttendedProcess {
 public:
  virtual ~AttendedProcess() = default;

  /// Blocks until it has ended, or this process was asked to stop. Call it once.
  /// @return The exit code for this process.
  virtual int wait() = 0;

  /// What the kernel may count as the memory of a started command although it is this process's:
  /// see command::tree_peak(). 0 for an existing process.
  [[nodiscard]] virtual std::uint64_t own_bytes() const { return 0; }
};

/// Starts a command with this process's streams, in its process group. Forwards SIGINT, SIGTERM and
/// SIGHUP to it, unless a terminal has sent them to both. `wait` returns its exit code or, as in
/// shells, 128 plus the number of the signal that ended it.
/// @param command  A program (looked up in PATH) and its arguments; not empty.
/// @throws UnavailableError if there is no such program, or it cannot be executed.
[[nodiscard]] std::unique_ptr<AttendedProcess> start_command(
    const std::vector<std::string>& command);

/// Watches a process that is already running. SIGINT, SIGTERM and SIGHUP end the watch, not the
/// process; `wait` then returns ExitCode::kInterrupted, otherwise ExitCode::kOk.
/// @throws UnavailableError if there is no such process.
[[nodiscard]] std::unique_ptr<AttendedProcess> attend_process(pid_t process_id);

}  // namespace runahead::apps
