#include "core/report/extremes.h"

#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"
#include "core/report/run_tables.h"

namespace runahead::report {
namespace {

std::vector<double> counted_values(const Line& line, const char* pointer) {
  std::vector<double> values;
  for (const Run* run : counted_runs(line)) {
    if (const auto value = run->number(pointer)) values.push_back(*value);
  }
  return values;
}

}  // namespace

std::vector<const Run*> counted_runs(const Line& line) {
  std::vector<const Run*> ok;
  std::ranges::copy_if(line.runs, std::back_inserter(ok),
                       [](const Run* run) { return run->is_ok(); });
  return ok.empty() ? line.runs : ok;
}

std::optional<double> median_of(const Line& line, const char* pointer) {
  const std::vector<double> values = counted_values(line, pointer);
  return values.empty() ? std::nullopt : std::optional(median(values));
}

bool Extremes::differ() const {
  return median_of(*least, kBatches) < median_of(*furthest, kBatches);
}

Extremes extremes_of(const std::vector<const Line*>& lines) {
  const auto by_batches = [](const Line* left, const Line* right) {
    return median_of(*left, kBatches) < median_of(*right, kBatches);
  };
  return {.furthest = *std::ranges::max_element(lines, by_batches),
          .least = *std::ranges::min_element(lines, by_batches)};
}

std::vector<Contrast> contrasts_of(const std::vector<Extremes>& extremes) {
  std::vector<Contrast> contrasts;
  for (const Extremes& one : extremes) {
    const Line* furthest = one.furthest;
    const Line* least = one.least;
    contrasts.push_back({.lines = one,
                         .memory = compare_values(counted_values(*least, kGrowth),
                                                  counted_values(*furthest, kGrowth)),
                         .time = compare_values(ok_values(least->runs, kTotal),
                                                ok_values(furthest->runs, kTotal))});
  }
  std::vector<Compared*> all;
  for (Contrast& contrast : contrasts) all.insert(all.end(), {&contrast.memory, &contrast.time});
  judge_together(all);
  return contrasts;
}

std::optional<double> ratio_of_medians(const Compared& one) {
  const double first = one.first_median.value_or(0.0);
  const double second = one.second_median.value_or(0.0);
  return first > 0.0 && second > 0.0 ? std::optional(second / first) : std::nullopt;
}

std::vector<const Line*> counted_lines(const Comparison& comparison) {
  std::vector<const Line*> lines;
  for (const Line& line : comparison.lines) {
    if (median_of(line, kBatches)) lines.push_back(&line);
  }
  return lines;
}

const std::string& source_of(const Line* line) { return line->main().source; }

bool shares_cpus(const Line* line) { return std::ranges::any_of(line->runs, &Run::shares_cpus); }

std::string medians_text(const std::vector<std::size_t>& counts) {
  std::size_t least = 0;
  std::size_t most = 0;
  for (const std::size_t count : counts) {
    if (count > 0 && (least == 0 || count < least)) least = count;
    most = std::max(most, count);
  }
  if (most < 2) return "";
  const std::string from = least == most ? "" : std::to_string(least) + " to ";
  return " (medians of " + from + std::to_string(most) + " repeats)";
}

std::uint64_t count_of(double batches) {
  return static_cast<std::uint64_t>(std::round(std::clamp(batches, 0.0, 1e15)));
}

std::string within(std::string phrase) {
  phrase.front() = static_cast<char>(phrase.front() - 'A' + 'a');
  return phrase;
}

}  // namespace runahead::report
