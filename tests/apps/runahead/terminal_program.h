#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "program_runner.h"
#include "support/text_file.h"

namespace runahead::test {

/// A program started from a test whose stderr is a terminal of its own; its stdout is a file.
class TerminalProgram {
 public:
  TerminalProgram(const std::filesystem::path& folder, unsigned short columns,
                  const std::string& program, std::vector<std::string> arguments,
                  const std::map<std::string, std::string>& environment)
      : out_(folder / "program.out"), controller_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    if (controller_ < 0 || ::grantpt(controller_) != 0 || ::unlockpt(controller_) != 0) {
      throw std::runtime_error("no pseudo-terminal");
    }
    const int terminal = ::open(::ptsname(controller_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::ioctl(terminal, TIOCSWINSZ, &size);
    arguments.insert(arguments.begin(), program);
    id_ = ::fork();
    if (id_ == 0) execute(terminal, arguments, environment);
    ::close(terminal);
  }
  ~TerminalProgram() {
    if (id_ > 0) ::kill(id_, SIGKILL);
    if (id_ > 0) ::waitpid(id_, nullptr, 0);
    ::close(controller_);
  }
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  /// Blocks until the terminal has been given `text`. @throws std::runtime_error if the program
  /// ends before, or takes too long.
  void read_until(const std::string& text) {
    while (shown_.find(text) == std::string::npos) {
      if (!read_more()) throw std::runtime_error("it was never shown: " + text + "\n" + shown_);
    }
  }

  /// Blocks until the program has ended; `err` is all that the terminal was given.
  ProgramEnd wait() {
    while (read_more()) continue;
    const int exit_code = wait_for_exit_code(std::exchange(id_, -1));
    return {.exit_code = exit_code, .out = read_text(out_), .err = shown_};
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{30'000};

  /// @return false once no process has the terminal open.
  bool read_more() {
    pollfd entry{.fd = controller_, .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, static_cast<int>(kPatience.count())) <= 0) {
      throw std::runtime_error("the terminal was given nothing more:\n" + shown_);
    }
    char chunk[4096];
    const ssize_t count = ::read(controller_, chunk, sizeof chunk);
    if (count > 0) shown_.append(chunk, static_cast<std::size_t>(count));
    return count > 0;
  }

  [[noreturn]] void execute(int terminal, std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& environment) const {
    if (std::freopen(out_.c_str(), "w", stdout) == nullptr) ::_exit(126);
    if (::dup2(terminal, STDERR_FILENO) < 0) ::_exit(126);
    become_program(arguments, environment);
  }

  std::filesystem::path out_;
  int controller_;
  pid_t id_ = -1;
  std::string shown_{};
};

}  // namespace runahead::test
