#include "core/report/state_colour.h"

#include <algorithm>

#include "core/record/status.h"

namespace runahead::report {
namespace {

constexpr std::string_view kBetween = ", ";

/// "crashed" for "1 crashed"; "not run" unchanged.
std::string_view without_count(std::string_view state) {
  const std::size_t name = state.find_first_not_of("0123456789");
  if (name == 0 || name == std::string_view::npos) return state;
  return state.substr(name + 1);
}

}  // namespace

std::string kind_of_states(std::string_view states) {
  using record::Status;
  bool is_unfinished = false;
  while (!states.empty()) {
    const std::size_t end = std::min(states.find(kBetween), states.size());
    const std::string_view name = without_count(states.substr(0, end));
    states.remove_prefix(std::min(end + kBetween.size(), states.size()));
    const auto status = record::status_of(name);
    if (status == Status::kOk) continue;
    if (name != "not run" && status != Status::kSkipped && status != Status::kInterrupted) {
      return "not-ok";
    }
    is_unfinished = true;
  }
  return is_unfinished ? "unfinished" : "ok";
}

std::string in_colour(const std::string& text, std::string_view kind) {
  const char* colour = kind == "ok"           ? "\033[32m"
                       : kind == "not-ok"     ? "\033[31m"
                       : kind == "unfinished" ? "\033[33m"
                                              : nullptr;
  return colour == nullptr ? text : colour + text + "\033[0m";
}

}  // namespace runahead::report
