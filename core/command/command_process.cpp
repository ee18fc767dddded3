#include "core/command/command_process.h"

#include <signal.h>
#include <unistd.h>

#include <boost/process/v2/stdio.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/executable.h"
#include "core/command/find_program.h"
#include "core/sweep/failed_exec.h"
#include "core/sweep/subreaper.h"

namespace runahead::command {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using boost::system::error_code;

namespace {

/// Shorter than the second that a sweep gives a cell to end.
constexpr std::chrono::milliseconds kGrace{700};

/// Runs in the child between fork and exec.
struct BelowSubreaper {
  pid_t parent = ::getpid();

  error_code on_exec_setup(process::posix::default_launcher&, const process::filesystem::path&,
                           const char* const*) const {
    errno = sweep::split_off_subreaper(parent);  // The launcher reports it to the parent.
    return {errno, boost::system::system_category()};
  }
};

std::filesystem::path program_of(const config::CommandLine& line) {
  const auto own = line.environment.find("PATH");
  return find_program(line.words.front(),
                      own == line.environment.end() ? search_path() : own->second);
}

process::process launch(asio::io_context& context, const config::CommandLine& line,
                        std::FILE* out) {
  const std::filesystem::path program = program_of(line);
  for (const auto& [name, value] : line.environment) {
    ::setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  }
  try {
    return process::process(context, process::filesystem::path(program.string()),
                            std::vector<std::string>(line.words.begin() + 1, line.words.end()),
                            process::process_stdio{nullptr, out, stderr}, BelowSubreaper{},
                            sweep::SkipExitHandlers{});
  } catch (const boost::system::system_error& error) {
    throw UnavailableError(start_failure(line.words.front(), program, error.code()));
  }
}

}  // namespace

CommandProcess::CommandProcess(const config::CommandLine& line, std::FILE* out)
    : signals_(context_, [this](int) { interrupt(); }), process_(launch(context_, line, out)) {}

CommandEnd CommandProcess::wait() {
  process_.async_wait([this](const error_code&, int) { context_.stop(); });
  context_.run();
  ::kill(-root_, SIGKILL);  // Nothing is left, unless the subreaper was killed.
  const int status = process_.native_exit_code();
  CommandEnd end{.was_interrupted = was_interrupted_};
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

void CommandProcess::interrupt() {
  if (was_interrupted_) return;
  was_interrupted_ = true;
  ::kill(-root_, SIGINT);
  grace_.expires_after(kGrace);
  grace_.async_wait([this](const error_code& error) {
    if (error) return;
    ::kill(root_, sweep::kKillAllSignal);
    ::kill(root_, SIGCONT);  // A stopped subreaper would not receive that.
  });
}

void require_program(const config::CommandLine& line) { static_cast<void>(program_of(line)); }

}  // namespace runahead::command
