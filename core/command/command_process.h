#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/process/v2/process.hpp>
#include <cstdio>
#include <optional>

#include "core/config/command_config.h"
#include "core/sweep/interrupt_watch.h"

namespace runahead::command {

/// How a command ended.
struct CommandEnd {
  int exit_code = 0;             ///< Valid if `signal` is nullopt.
  std::optional<int> signal{};   ///< The signal that ended it.
  bool was_interrupted = false;  ///< Stopped because this process was asked to stop.
};

/// A command below a subreaper (sweep/subreaper.h): nothing that it starts outlives it or this
/// process. During this object's lifetime, SIGINT, SIGTERM and SIGHUP reach the command as SIGINT,
/// on which Python still runs its exit handlers. Whatever is left after 0.7 s is killed.
class CommandProcess {
 public:
  /// Starts the command with an empty stdin, no terminal, and this process's stderr; adds
  /// `line.environment` to this process's environment. Call it before there are other threads.
  /// @param out  Where the command's stdout goes.
  /// @throws UnavailableError if it cannot be executed.
  CommandProcess(const config::CommandLine& line, std::FILE* out);
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;

  /// The subreaper, the ancestor of the command and its children.
  [[nodiscard]] pid_t root() const { return root_; }

  /// Blocks until the command, and everything that it started, has ended. Call it once.
  CommandEnd wait();

 private:
  void interrupt();

  boost::asio::io_context context_{};
  boost::asio::steady_timer grace_{context_};
  sweep::InterruptWatch signals_;
  boost::process::v2::process process_;
  pid_t root_ = process_.id();
  bool was_interrupted_ = false;
};

/// Checks, before a command is started, that its program exists. @throws UnavailableError if not.
void require_program(const config::CommandLine& line);

}  // namespace runahead::command
