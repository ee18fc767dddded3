#include "core/slurm/job_detail.h"

#include <algorithm>
#include <charconv>

namespace runahead::slurm {

namespace {

/// The value of "Key=value" among words; only those whose values have no spaces can be asked for.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  for (std::size_t start = 0; start < line.size();) {
    const std::size_t end = std::min(line.find(' ', start), line.size());
    const std::string_view word = line.substr(start, end - start);
    start = end + 1;
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=') {
      return word.substr(key.size() + 1);
    }
  }
  return std::nullopt;
}

int number_of(std::string_view digits) {
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

std::optional<JobDetail> parse_job_detail(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto state = value_of(line, "JobState");
  if (!state) return std::nullopt;
  JobDetail detail{.state = job_state_of(*state)};
  detail.reason = value_of(line, "Reason").value_or("");
  detail.node = value_of(line, "BatchHost").value_or("");
  detail.time_limit = value_of(line, "TimeLimit").value_or("");
  detail.memory_limit = value_of(line, "MinMemoryNode").value_or("");
  const std::string_view exit = value_of(line, "ExitCode").value_or("0:0");
  detail.exit_code = number_of(exit);
  const std::size_t colon = exit.find(':');
  if (colon != std::string_view::npos) detail.signal = number_of(exit.substr(colon + 1));
  return detail;
}

}  // namespace runahead::slurm
