#include "apps/cell/allocator_restart.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/program/program.h"
#include "core/cuda/allocator_settings.h"
#include "core/record/command_line.h"

namespace runahead::cell {
namespace {

/// Set if the program was already executed again.
constexpr const char* kRestarted = "RUNAHEAD_ALLOCATOR_RESTARTED";

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

[[noreturn]] void execute_again() {
  std::vector<std::string> words = record::words_of_process("self");
  if (!words.empty()) words.erase(words.begin());
  apps::become(std::filesystem::read_symlink("/proc/self/exe"), words);
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
