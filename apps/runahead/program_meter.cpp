#include "apps/runahead/program_meter.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace runahead::apps {

namespace fs = std::filesystem;
namespace asio = boost::asio;

namespace {

constexpr int kCannotExecute = 127;               ///< The exit code that shells use.
constexpr std::uint64_t kBytesOfKilobyte = 1024;  ///< The unit of getrusage.

bool redirect(int stream, const char* path, int flags) {
  const int file = ::open(path, flags | O_CLOEXEC, 0666);
  return file >= 0 && ::dup2(file, stream) == stream;
}

}  // namespace

ProgramMeter::ProgramMeter(const fs::path& log_folder,
                           std::map<std::string, std::string> environment)
    : stdout_(log_folder / "stdout.txt"),
      stderr_(log_folder / "stderr.txt"),
      environment_(std::move(environment)) {}

ProgramCost ProgramMeter::run(const fs::path& program, const std::vector<std::string>& arguments) {
  context_.poll();
  if (is_interrupted_) throw InterruptedError("interrupted");
  const TimePoint start = Clock::now();
  child_ = fork_and_execute(program.string(), arguments);
  wait_for_end();
  rusage usage{};
  int status = 0;
  const pid_t child = std::exchange(child_, -1);
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) continue;
  const double wall_seconds = seconds_between(start, Clock::now());
  if (is_interrupted_) throw InterruptedError("interrupted");
  require_success(program, status);
  return {.wall_seconds = wall_seconds,
          .rss_peak_bytes = kBytesOfKilobyte * static_cast<std::uint64_t>(usage.ru_maxrss)};
}

pid_t ProgramMeter::fork_and_execute(const std::string& program,
                                     const std::vector<std::string>& arguments) const {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw Error("no process can be made: " + std::string(std::strerror(errno)));
  if (child == 0) execute(argv, parent);
  return child;
}

void ProgramMeter::execute(const std::vector<char*>& argv, pid_t parent) const {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kCannotExecute);
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_TRUNC;
  if (!redirect(STDIN_FILENO, "/dev/null", O_RDONLY) ||
      !redirect(STDOUT_FILENO, stdout_.c_str(), kNewFile) ||
      !redirect(STDERR_FILENO, stderr_.c_str(), kNewFile)) {
    ::_exit(kCannotExecute);
  }
  for (const auto& [name, value] : environment_) ::setenv(name.c_str(), value.c_str(), 1);
  ::execv(argv.front(), argv.data());
  ::_exit(kCannotExecute);
}

void ProgramMeter::wait_for_end() {
  const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0U));
  if (descriptor < 0) return;  // Before Linux 5.3, interrupts are handled after it has ended.
  asio::posix::stream_descriptor end(context_, descriptor);
  bool has_ended = false;
  end.async_wait(asio::posix::stream_descriptor::wait_read,
                 [&](const boost::system::error_code&) { has_ended = true; });
  while (!has_ended) context_.run_one();
}

void ProgramMeter::interrupt() {
  is_interrupted_ = true;
  if (child_ > 0) ::kill(child_, SIGTERM);
}

void ProgramMeter::require_success(const fs::path& program, int status) const {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::ifstream file(stderr_);
  const std::string output{std::istreambuf_iterator<char>(file), {}};
  throw Error("'" + program.string() + "' ended " +
              (WIFSIGNALED(status) ? "by signal " + std::to_string(WTERMSIG(status))
                                   : "with exit code " + std::to_string(WEXITSTATUS(status))) +
              "; its last words: " + std::string(last_line(output)));
}

}  // namespace runahead::apps
