#include "core/engine/allocator_settings.h"

#include <bit>
#include <string>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

namespace runahead::engine {
namespace {

constexpr std::uint64_t kLeastSplitMegabytes = 21;
constexpr std::uint64_t kMostSplitMegabytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostDivisions = 16;

[[noreturn]] void refuse(std::string_view name, std::string_view value, const char* allowed) {
  throw ConfigError("allocator setting " + std::string(name) + ": found '" + std::string(value) +
                    "'; allowed: " + allowed);
}

bool is_true(std::string_view name, std::string_view value) {
  if (value != "True" && value != "False") refuse(name, value, "True or False");
  return value == "True";
}

void set(AllocatorSettings& settings, std::string_view name, std::string_view value) {
  if (name == "expandable_segments") {
    settings.expandable_segments = is_true(name, value);
  } else if (name == "wait_before_failing") {
    settings.wait_before_failing = is_true(name, value);
  } else if (name == "max_split_size_mb") {
    const auto megabytes = parse_number<std::uint64_t>(value);
    if (!megabytes || *megabytes < kLeastSplitMegabytes || *megabytes > kMostSplitMegabytes) {
      refuse(name, value, "a whole number above 20");
    }
    settings.max_split_bytes = *megabytes << 20;
  } else if (name == "roundup_power2_divisions") {
    const auto divisions = parse_number<std::uint64_t>(value);
    if (!divisions || !std::has_single_bit(*divisions) || *divisions > kMostDivisions) {
      refuse(name, value, "1, 2, 4, 8 or 16");
    }
    settings.roundup_power2_divisions = *divisions;
  } else if (name == "garbage_collection_threshold") {
    const auto share = parse_number<double>(value);
    if (!share || !(*share > 0 && *share < 1)) refuse(name, value, "a number between 0 and 1");
    settings.garbage_collection_threshold = *share;
  } else {
    throw ConfigError("allocator setting '" + std::string(name) +
                      "' is unknown; allowed: expandable_segments, max_split_size_mb, "
                      "roundup_power2_divisions, garbage_collection_threshold, "
                      "wait_before_failing");
  }
}

}  // namespace

AllocatorSettings parse_allocator_settings(std::string_view text) {
  AllocatorSettings settings;
  while (!trimmed(text).empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view option = trimmed(text.substr(0, comma));
    const std::size_t colon = option.find(':');
    if (colon == std::string_view::npos) {
      throw ConfigError("allocator settings: found '" + std::string(option) +
                        "'; allowed: NAME:VALUE, such as expandable_segments:True, with commas "
                        "between them");
    }
    set(settings, trimmed(option.substr(0, colon)), trimmed(option.substr(colon + 1)));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return settings;
}

}  // namespace runahead::engine
