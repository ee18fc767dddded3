#include "core/cuda/allocator_settings.h"

#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cuda/active_allocator.h"

namespace runahead::cuda {
namespace {

constexpr std::string_view kBackend = "backend";
constexpr std::string_view kExpandableSegments = "expandable_segments";

struct Option {
  std::string_view name{};
  std::string_view value{};
  std::string_view text{};  ///< The whole option.
};

Option option_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {.name = text, .text = text};
  return {.name = trimmed(text.substr(0, colon)),
          .value = trimmed(text.substr(colon + 1)),
          .text = text};
}

/// Options are separated by commas. A list in brackets may contain commas.
std::vector<Option> options_of(std::string_view settings) {
  std::vector<Option> options;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= settings.size(); ++i) {
    const bool is_end = i == settings.size();
    if (!is_end && settings[i] == '[') ++depth;
    if (!is_end && settings[i] == ']') --depth;
    if (!is_end && (settings[i] != ',' || depth > 0)) continue;
    const std::string_view text = trimmed(settings.substr(begin, i - begin));
    if (!text.empty()) options.push_back(option_of(text));
    begin = i + 1;
  }
  return options;
}

/// The settings that select an allocator, with LibTorch's defaults.
struct Choice {
  std::string allocator = "native";
  bool expandable_segments = false;
  bool operator==(const Choice&) const = default;
};

Choice choice_of(const config::CudaConfig& config) {
  return {.allocator = allocator_name(config.allocator),
          .expandable_segments = config.expandable_segments};
}

Choice choice_of(const std::optional<std::string>& settings) {
  Choice choice;
  for (const Option& option : options_of(settings ? std::string_view(*settings) : "")) {
    if (option.name == kBackend) choice.allocator = option.value;
    if (option.name == kExpandableSegments) choice.expandable_segments = option.value == "True";
  }
  return choice;
}

}  // namespace

std::string with_allocator_of(const config::CudaConfig& config, std::string_view settings) {
  std::string text(kBackend);
  text.append(":").append(allocator_name(config.allocator));
  // The other allocator has no segments, and LibTorch would warn about the option.
  if (config.allocator == config::CudaAllocator::kNative) {
    text.append(",").append(kExpandableSegments);
    text.append(config.expandable_segments ? ":True" : ":False");
  }
  for (const Option& option : options_of(settings)) {
    if (option.name == kBackend || option.name == kExpandableSegments) continue;
    text.append(",").append(option.text);
  }
  return text;
}

std::optional<std::string> needed_settings(const config::CudaConfig& config,
                                           const AllocatorEnvironment& environment) {
  const Choice wanted = choice_of(config);
  const auto chooses = [&](const std::optional<std::string>& settings) {
    return choice_of(settings) == wanted;
  };
  const bool is_set = environment.cuda_settings || environment.settings;
  const bool is_right = is_set
                            ? (!environment.cuda_settings || chooses(environment.cuda_settings)) &&
                                  (!environment.settings || chooses(environment.settings))
                            : chooses(std::nullopt);
  if (is_right) return std::nullopt;
  const std::string present =
      environment.cuda_settings ? *environment.cuda_settings : environment.settings.value_or("");
  return with_allocator_of(config, present);
}

std::string allocator_name(config::CudaAllocator allocator) {
  return allocator == config::CudaAllocator::kNative ? "native" : "cudaMallocAsync";
}

void require_allocator(const config::CudaConfig& config) {
  const std::optional<std::string> active = active_allocator();
  const std::string wanted = allocator_name(config.allocator);
  if (!active || *active == wanted) return;
  throw UnavailableError("/cuda/allocator: LibTorch took the allocator '" + *active +
                         "' when it was loaded, and the config asks for '" + wanted + "'; set " +
                         kCudaSettingsVariable + " to '" + with_allocator_of(config, "") + "'");
}

}  // namespace runahead::cuda
