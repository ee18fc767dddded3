#include "apps/runahead/bench_rounds.h"

#include <algorithm>
#include <utility>

namespace runahead::apps {

namespace {

std::optional<double> find_figure(const std::optional<Measurement>& measurement,
                                  const std::string& key) {
  if (!measurement) return std::nullopt;
  const auto found = measurement->figures.find(key);
  if (found == measurement->figures.end()) return std::nullopt;
  return found->second;
}

}  // namespace

BenchRounds::BenchRounds(std::string name, std::vector<BenchCase> cases,
                         const BenchOptions& options)
    : name_(std::move(name)),
      cases_(std::move(cases)),
      options_(options),
      failed_(cases_.size(), false) {}

void BenchRounds::run() {
  std::int64_t extra_rounds_left = options_.repeats;
  while (rounds_.size() < static_cast<std::size_t>(options_.repeats)) {
    Round round = run_round();
    const bool all_had_the_cpu =
        std::ranges::all_of(round, [](const auto& one) { return !one || one->had_the_cpu; });
    if (!all_had_the_cpu && extra_rounds_left-- > 0) {
      report("round repeated: something else had the CPU");
      continue;
    }
    if (!all_had_the_cpu && options_.on_disturbed) options_.on_disturbed();
    rounds_.push_back(std::move(round));
    report("round " + std::to_string(rounds_.size()) + " of " + std::to_string(options_.repeats));
  }
}

BenchRounds::Round BenchRounds::run_round() {
  Round round(cases_.size());
  const bool is_forwards = rounds_.size() % 2 == 0;
  for (std::size_t position = 0; position < cases_.size(); ++position) {
    const std::size_t index = is_forwards ? position : cases_.size() - 1 - position;
    if (failed_[index]) continue;
    round[index] = cases_[index]();
    failed_[index] = !round[index];
  }
  return round;
}

std::optional<Spread> BenchRounds::figure(std::size_t index, const std::string& key) const {
  std::vector<double> values;
  for (const Round& round : rounds_) {
    if (const auto value = find_figure(round[index], key)) values.push_back(*value);
  }
  return spread_of(values);
}

std::vector<double> BenchRounds::ratios(std::size_t index, const std::string& key,
                                        std::size_t base_index, const std::string& base_key) const {
  std::vector<double> ratios;
  for (const Round& round : rounds_) {
    const auto value = find_figure(round[index], key);
    const auto base = find_figure(round[base_index], base_key);
    if (value && base && *base != 0.0) ratios.push_back(*value / *base);
  }
  return ratios;
}

std::optional<Spread> BenchRounds::ratio(std::size_t index, const std::string& key,
                                         std::size_t base_index,
                                         const std::string& base_key) const {
  return spread_of(ratios(index, key, base_index, base_key));
}

void BenchRounds::report(const std::string& text) const {
  if (options_.report) options_.report(name_ + ": " + text);
}

}  // namespace runahead::apps
