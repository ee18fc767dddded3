#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/text_file.h"

namespace runahead::test {

/// How a program ended, and what it printed.
struct ProgramEnd {
  int exit_code = -1;  ///< -1 if a signal ended it.
  std::string out{};
  std::string err{};
};

/// Becomes the program `arguments[0]`; for a child after its fork, whose output is where it
/// belongs.
[[noreturn]] inline void become_program(std::vector<std::string>& arguments,
                                        const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

/// Waits for a child. @return its exit code, -1 if a signal ended it.
inline int wait_for_exit_code(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A program started from a test, its output going to files in `folder`.
class Program {
 public:
  Program(const std::filesystem::path& folder, const std::string& program,
          std::vector<std::string> arguments,
          const std::map<std::string, std::string>& environment = {})
      : out_(folder / "program.out"), err_(folder / "program.err") {
    arguments.insert(arguments.begin(), program);
    id_ = ::fork();
    if (id_ == 0) execute(arguments, environment);
  }
  ~Program() {
    if (id_ > 0) ::kill(id_, SIGKILL);
    if (id_ > 0) ::waitpid(id_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  void send(int signal) const { ::kill(id_, signal); }

  ProgramEnd wait() {
    const int exit_code = wait_for_exit_code(std::exchange(id_, -1));
    return {.exit_code = exit_code, .out = read_text(out_), .err = read_text(err_)};
  }

 private:
  [[noreturn]] void execute(std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& environment) const {
    if (std::freopen(out_.c_str(), "w", stdout) == nullptr) ::_exit(126);
    if (std::freopen(err_.c_str(), "w", stderr) == nullptr) ::_exit(126);
    become_program(arguments, environment);
  }

  std::filesystem::path out_;
  std::filesystem::path err_;
  pid_t id_ = -1;
};

}  // namespace runahead::test
