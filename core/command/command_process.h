#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "core/config/command_config.h"

namespace runahead::command {

/// How a command ended.
struct CommandEnd {
  int exit_code = 0;             ///< Valid if `signal` is nullopt.
  std::optional<int> signal{};   ///< The signal that ended it.
  bool was_interrupted = false;  ///< This process was asked to stop, and so stopped it.
};

/// A command below a subreaper (sweep/subreaper.h): nothing that it starts outlives it or this
/// process. While this lives, SIGINT, SIGTERM and SIGHUP reach the command as SIGINT, on which
/// Python still runs its exit handlers; what is left after 0.7 s is killed.
class CommandProcess {
 public:
  /// Starts it, with an empty stdin and this process's stderr; `line.environment` becomes a part of
  /// this process's. To be called before there are other threads.
  /// @param out  Where its stdout goes.
  /// @throws UnavailableError if it cannot be executed.
  CommandProcess(const config::CommandLine& line, std::FILE* out);
  ~CommandProcess();
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;

  /// The subreaper, whose descendants the command and its children are.
  [[nodiscard]] pid_t root() const;

  /// Blocks until the command, and all that it started, has ended. To be called once.
  CommandEnd wait();

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Where the program of a command is, before it is started. @throws UnavailableError if it is not.
void require_program(const config::CommandLine& line);

}  // namespace runahead::command
