#include "core/report/extremes.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/grouped.h"
#include "core/base/statistics.h"
#include "core/report/labels.h"
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

/// Compares the growth of two lines, as Contrast::memory says, until it is judged.
Compared compare_growth(const Line& least, const Line& furthest) {
  Compared memory =
      compare_values(counted_values(least, kGrowth), counted_values(furthest, kGrowth));
  const bool is_least_cut = is_cut_short(least);
  const bool is_furthest_cut = is_cut_short(furthest);
  memory.is_at_least = is_least_cut || is_furthest_cut;
  if (!memory.is_at_least || !memory.has_medians()) return memory;
  const double proven = memory.difference() * (is_furthest_cut ? 1.0 : -1.0);
  return proven < kLeastBytes || (is_least_cut && is_furthest_cut) ? Compared{} : memory;
}

}  // namespace

std::vector<const Run*> counted_runs(const Line& line) {
  std::vector<const Run*> ok;
  std::ranges::copy_if(line.runs, std::back_inserter(ok),
                       [](const Run* run) { return run->is_ok(); });
  return ok.empty() ? line.runs : ok;
}

bool is_cut_short(const Line& line) { return !counted_runs(line).front()->is_ok(); }

std::string ending_of(const Line& line) {
  std::vector<std::string> states;
  for (const Run* run : line.runs) {
    if (!run->is_ok()) states.push_back(run->status());
  }
  const auto groups = grouped(states, std::identity());
  if (groups.size() == 1 && states.size() == line.runs.size()) {
    return (states.size() == 1 ? "the run ended as " : "the runs ended as ") + states.front();
  }
  std::string text;
  for (const std::vector<std::string>& alike : groups) {
    const std::string count = std::to_string(alike.size());
    text += text.empty() ? count + " of " + std::to_string(line.runs.size()) + " runs ended as "
                         : " and " + count + " as ";
    text += alike.front();
  }
  return text;
}

std::optional<double> median_of(const Line& line, const char* pointer) {
  const std::vector<double> values = counted_values(line, pointer);
  return values.empty() ? std::nullopt : std::optional(median(values));
}

bool Extremes::differ() const {
  return median_of(*least, kBatches) < median_of(*furthest, kBatches);
}

std::string Extremes::phrase(const Line& line) const {
  const auto by_policy = [](const Line& one) {
    return sync_phrase(one.main().object("/config/sync"));
  };
  const Line& other = &line == least ? *furthest : *least;
  if (by_policy(line) != by_policy(other)) return by_policy(line);
  Json axes = line.main().axes();
  for (const auto& [pointer, value] : other.main().axes().items()) {
    if (axes.contains(pointer) && axes[pointer] == value) axes.erase(pointer);
  }
  return axes.empty() ? by_policy(line) : "With " + axes_label(axes);
}

Extremes extremes_of(const std::vector<const Line*>& lines, const Comparison& comparison) {
  const auto by_batches = [](const Line* left, const Line* right) {
    return median_of(*left, kBatches) < median_of(*right, kBatches);
  };
  std::vector<const Line*> died;
  for (const Line& line : comparison.lines) {
    const bool is_there = source_of(&line) == source_of(lines.front());
    if (is_there && !ending_of(line).empty()) died.push_back(&line);
  }
  return {.furthest = *std::ranges::max_element(lines, by_batches),
          .least = *std::ranges::min_element(lines, by_batches),
          .died = std::move(died)};
}

std::vector<Contrast> contrasts_of(const std::vector<Extremes>& extremes) {
  std::vector<Contrast> contrasts;
  for (const Extremes& one : extremes) {
    const Line* furthest = one.furthest;
    const Line* least = one.least;
    contrasts.push_back({.lines = one,
                         .memory = compare_growth(*least, *furthest),
                         .time = compare_values(ok_values(least->runs, kTotal),
                                                ok_values(furthest->runs, kTotal))});
  }
  std::vector<Compared*> all;
  for (Contrast& contrast : contrasts) all.insert(all.end(), {&contrast.memory, &contrast.time});
  judge_together(all);
  for (Contrast& contrast : contrasts) {
    Compared& memory = contrast.memory;
    if (memory.is_at_least && memory.is_within_noise()) memory = {};
  }
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
