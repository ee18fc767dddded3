#include "core/report/extremes.h"

#include <algorithm>

namespace runahead::report {

bool Extremes::differ() const { return least->number(kBatches) < furthest->number(kBatches); }

Extremes extremes_of(const std::vector<const Run*>& runs) {
  const auto by_batches = [](const Run* left, const Run* right) {
    return left->number(kBatches) < right->number(kBatches);
  };
  return {.furthest = *std::max_element(runs.begin(), runs.end(), by_batches),
          .least = *std::min_element(runs.begin(), runs.end(), by_batches)};
}

std::vector<const Run*> counted_runs(const Comparison& comparison) {
  std::vector<const Run*> runs;
  for (const Line& line : comparison.lines) {
    if (line.main().number(kBatches)) runs.push_back(&line.main());
  }
  return runs;
}

const std::string& source_of(const Run* run) { return run->source; }

bool shares_cpus(const Run* run) { return run->at("/environment/cpus_shared") == true; }

std::optional<double> ratio_of_times(const Run& run, const Run& other) {
  const double total = run.is_ok() ? run.number(kTotal).value_or(0.0) : 0.0;
  const double other_total = other.is_ok() ? other.number(kTotal).value_or(0.0) : 0.0;
  return total > 0.0 && other_total > 0.0 ? std::optional(total / other_total) : std::nullopt;
}

std::uint64_t count_of(double batches) {
  return static_cast<std::uint64_t>(std::clamp(batches, 0.0, 1e15));
}

std::string within(std::string phrase) {
  phrase.front() = static_cast<char>(phrase.front() - 'A' + 'a');
  return phrase;
}

}  // namespace runahead::report
