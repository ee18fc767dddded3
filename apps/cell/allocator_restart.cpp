#include "apps/cell/allocator_restart.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/cuda/allocator_settings.h"

namespace runahead::cell {
namespace {

/// Set if the program was already executed again.
constexpr const char* kRestarted = "RUNAHEAD_ALLOCATOR_RESTARTED";

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

[[noreturn]] void execute_again() {
  std::vector<std::string> arguments = own_arguments();
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::cout.flush();
  ::execv("/proc/self/exe", argv.data());
  throw UnavailableError(
      std::string("this program could not be executed again for another allocator: ") +
      std::strerror(errno));
}

}  // namespace

void restart_for_allocator(const config::ExperimentConfig& config) {
  if (!config.device.starts_with("cuda")) return;
  const bool has_restarted = variable(kRestarted).has_value();
  ::unsetenv(kRestarted);
  const auto settings =
      cuda::needed_settings(config.cuda, {.cuda_settings = variable(cuda::kCudaSettingsVariable),
                                          .settings = variable(cuda::kSettingsVariable)});
  if (!settings || has_restarted) return cuda::require_allocator(config.cuda);
  ::setenv(cuda::kCudaSettingsVariable, settings->c_str(), 1);
  ::setenv(cuda::kSettingsVariable, settings->c_str(), 1);
  ::setenv(kRestarted, "1", 1);
  execute_again();
}

}  // namespace runahead::cell
