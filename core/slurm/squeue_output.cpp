#include "core/slurm/squeue_output.h"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace runahead::slurm {

namespace {

/// Arrays here have fewer tasks: it bounds what "1_[0-99999999]" can make of itself, and how often.
constexpr std::int64_t kMaxIndex = 10'000;

std::optional<std::int64_t> index_of(std::string_view digits) {
  std::int64_t index = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_whole = parsed.ec == std::errc{} && parsed.ptr == digits.data() + digits.size();
  if (!is_whole || index < 0 || index > kMaxIndex) return std::nullopt;
  return index;
}

/// What is before the first `separator`; `text` is left with what is behind it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

/// "4-6,9%2" without its throttle: 4, 5, 6 and 9.
std::vector<std::int64_t> indices_of(std::string_view list) {
  std::vector<std::int64_t> indices;
  list = list.substr(0, list.find('%'));
  while (!list.empty()) {
    std::string_view range = take_until(list, ',');
    const auto first = index_of(take_until(range, '-'));
    const auto last = range.empty() ? first : index_of(range);
    if (!first || !last) continue;
    for (std::int64_t index = *first; index <= *last; ++index) {
      if (std::cmp_greater(indices.size(), kMaxIndex)) return indices;
      indices.push_back(index);
    }
  }
  return indices;
}

/// The task indices of "12_3" or "12_[4-6,9%2]".
std::vector<std::int64_t> tasks_of(std::string_view job) {
  const std::size_t underscore = job.find('_');
  if (underscore == std::string_view::npos) return {};
  std::string_view list = job.substr(underscore + 1);
  if (list.starts_with('[') && list.ends_with(']')) list = list.substr(1, list.size() - 2);
  return indices_of(list);
}

}  // namespace

QueuedTasks parse_squeue(std::string_view text) {
  QueuedTasks tasks;
  for (std::size_t named = 0; !text.empty() && std::cmp_less_equal(named, kMaxIndex);) {
    std::string_view line = take_until(text, '\n');
    const std::string_view job = take_until(line, '|');
    const std::string_view state = take_until(line, '|');
    if (state.empty()) continue;
    for (const std::int64_t task : tasks_of(job)) {
      ++named;
      tasks[task] = {.state = job_state_of(state), .reason = std::string(line)};
    }
  }
  return tasks;
}

}  // namespace runahead::slurm
