#include "core/slurm/process_submit_host.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/executable.h"
#include "core/base/file.h"
#include "core/slurm/array_script.h"

namespace runahead::slurm {

namespace fs = std::filesystem;

namespace {

constexpr double kCommandSeconds = 60.0;
constexpr double kSubmitSeconds = 120.0;
constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 20;

fs::path find_program(const std::string& name) {
  if (auto program = find_executable(name, search_path())) return *std::move(program);
  throw UnavailableError("Slurm's '" + name +
                         "' was not found in PATH: start the sweep where sbatch works, or with "
                         "--launcher local");
}

constexpr const char* kEnv = "/usr/bin/env";

/// Arguments of env(1) that start `command` without the variables that change what it does.
std::vector<std::string> arguments_of_env(const std::vector<std::string>& command) {
  std::vector<std::string> arguments;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string variable(*entry, std::string_view(*entry).find('='));
    if (!overrides_launcher(variable)) continue;
    arguments.insert(arguments.end(), {"-u", variable});
  }
  arguments.push_back(find_program(command.front()).string());
  arguments.insert(arguments.end(), command.begin() + 1, command.end());
  return arguments;
}

}  // namespace

void require_slurm() { static_cast<void>(find_program("sbatch")); }

ProcessSubmitHost::ProcessSubmitHost(fs::path log_folder) : log_folder_(std::move(log_folder)) {
  make_folder(log_folder_);
}

CommandOutput ProcessSubmitHost::call(const std::vector<std::string>& command) {
  RUNAHEAD_REQUIRE(!command.empty(), "a command has a name");
  const sweep::ChildEnd end = child_.run(
      {.program = kEnv, .arguments = arguments_of_env(command), .log_folder = log_folder_},
      {.wall_seconds = command.front() == "sbatch" ? kSubmitSeconds : kCommandSeconds});
  if (!end.output_is_whole) {
    return {.exit_code = -1,
            .err = "its answer is too long or could not be written to '" + log_folder_.string() +
                   "': is the disk full?"};
  }
  CommandOutput output{.exit_code = end.stopped || end.signal ? -1 : end.exit_code,
                       .out = read_file(log_folder_ / "stdout.txt", kMaxOutputBytes),
                       .err = read_file(log_folder_ / "stderr.txt", kMaxOutputBytes)};
  if (end.stopped) output.err += "no answer within the time limit";
  return output;
}

void ProcessSubmitHost::wait(double seconds) {
  const auto is_over = std::make_shared<bool>(false);
  boost::asio::steady_timer timer(child_.context());
  timer.expires_after(duration_of(seconds));
  timer.async_wait([is_over](const boost::system::error_code&) { *is_over = true; });
  while (!*is_over && interrupts_ == interrupts_seen_) child_.context().run_one();
}

double ProcessSubmitHost::now_seconds() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

bool ProcessSubmitHost::interrupted() {
  child_.context().poll();
  interrupts_seen_ = interrupts_;
  return interrupts_ > 0;
}

}  // namespace runahead::slurm
