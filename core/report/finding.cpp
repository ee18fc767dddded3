#include "core/report/finding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/grouped.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/record/figures.h"
#include "core/report/extremes.h"
#include "core/report/labels.h"

namespace runahead::report {
namespace {

constexpr const char* kIssue = "/time/issue_seconds";
constexpr const char* kHeld = "/memory/held_peak_bytes";

/// What a sentence says about one run, or about the repeats of a line: then its figures are
/// medians.
struct Measured {
  std::optional<double> issue{};
  std::optional<double> total{};
  std::optional<double> batches{};
  std::optional<double> held{};
  std::optional<double> growth{};
  std::string ending{};  ///< "it ended as crashed"; "" if all is ok or unknown.
  bool is_cut_short = false;
};

template <typename NumberAt>
Measured measured_by(const NumberAt& number_at, std::string ending, bool is_cut_short) {
  return {.issue = number_at(kIssue),
          .total = number_at(kTotal),
          .batches = number_at(kBatches),
          .held = number_at(kHeld),
          .growth = number_at(kGrowth),
          .ending = std::move(ending),
          .is_cut_short = is_cut_short};
}

Measured measured_of(const Json& record) {
  const Json& status = value_at(record, "/status");
  const bool is_known = status.is_string() && status != "" && status != "ok";
  return measured_by([&](const char* pointer) { return record::number_at(record, pointer); },
                     is_known ? "it ended as " + status.get<std::string>() : "", is_known);
}

Measured measured_of(const Line& line) {
  return measured_by([&](const char* pointer) { return median_of(line, pointer); }, ending_of(line),
                     is_cut_short(line));
}

std::string batches_text(double batches) {
  return counted(count_of(batches), "batch was", "batches were") + " in flight";
}

std::string phrase_of(const Line& line, const Extremes& extremes) {
  const std::string phrase = extremes.phrase(line);
  const std::string& source = line.main().source;
  return source.empty() ? phrase : "In " + source + " " + within(phrase);
}

std::string run_ahead(const Measured& run, const std::string& phrase) {
  if (!run.batches) return "";
  std::string text = phrase;
  if (run.issue && !run.is_cut_short) {
    text += " the front end finished issuing after " + format_duration(*run.issue) + ";";
  }
  text += " up to " + batches_text(*run.batches);
  if (const double held = run.held.value_or(0.0); held > 0.0) {
    const bool is_one = count_of(*run.batches) == 1;
    text += (is_one ? "; its inputs held " : "; their inputs held ") + format_size(held);
  }
  if (!run.ending.empty()) text += "; " + run.ending;
  return text + ".";
}

/// "Interrupted after 1.65 s: 96 of 100,000 batches issued, 96 finished."; "" for other runs.
std::string interruption(const Json& record) {
  const auto seconds = record::number_at(record, kTotal);
  auto batches = record::number_at(record, "/config/batches");
  if (const auto earlier = record::number_at(record, "/results/train/resumed_at_batch")) {
    if (batches) *batches -= *earlier;
  }
  const auto issued = record::number_at(record, "/results/batches_issued");
  const auto finished = record::number_at(record, "/results/batches_finished");
  const bool is_interrupted = value_at(record, "/status") == "interrupted";
  if (!is_interrupted || !seconds || !batches || !issued || !finished) return "";
  return "Interrupted after " + format_duration(*seconds) + ": " + format_count(*issued) + " of " +
         format_count(*batches) + " batches issued, " + format_count(*finished) + " finished.";
}

/// The same for a line of one run.
std::string interruption(const Line& line) {
  return line.runs.size() == 1 ? interruption(line.main().record) : "";
}

std::string sharing_text(std::size_t runs) {
  return counted(runs, "line is left out, because its run",
                 "lines are left out, because their runs") +
         " shared CPUs with others";
}

/// ", in 1.10 times its time"; "" if a time is unknown.
std::string in_time(const Compared& time) {
  const auto ratio = ratio_of_medians(time);
  if (!ratio) return "";
  if (time.is_within_noise()) return ", in the same time within noise";
  if (std::abs(*ratio - 1.0) <= kAlike) return ", in about the same time";
  return ", in " + three_digits(*ratio) + " times its time";
}

/// " The process grew by 148 MB, 5.90 times as much as with a wait after every batch (25.3 MB)."
std::string growth_against(const Contrast& contrast) {
  const Compared& memory = contrast.memory;
  if (!memory.has_medians()) return "";
  const double grown = *memory.second_median;
  const double other = *memory.first_median;
  const std::string named = within(contrast.lines.phrase(*contrast.lines.least));
  const std::string at_least = memory.is_at_least ? "at least " : "";
  std::string text = " The process grew by " + (other < grown ? at_least : "") + format_size(grown);
  const std::string compared = named + " (" + format_size(other) + ")";
  if (memory.is_within_noise()) {
    text += ", within noise as much as " + compared;
  } else if (!memory.is_at_least && other > 0.0 && std::abs(grown / other - 1.0) <= kAlike) {
    text += ", about as much as " + compared;
  } else if (other > 0.0 && other < grown) {
    text += ", " + three_digits(grown / other) + " times as much as " + compared;
  } else {
    text += "; " + named + " by " + (other > grown ? at_least : "") + format_size(other);
  }
  return text + in_time(contrast.time) + ".";
}

/// The finding of the lines of one sweep. @param lines  Not empty.
std::string headline_of(const std::vector<const Line*>& lines, const Comparison& comparison) {
  const Extremes extremes = extremes_of(lines, comparison);
  std::vector<std::size_t> counts{counted_runs(*extremes.furthest).size()};
  const std::string phrase = phrase_of(*extremes.furthest, extremes);
  std::string text = interruption(*extremes.furthest);
  if (text.empty()) {
    text = run_ahead(measured_of(*extremes.furthest), phrase);
  } else if (comparison.lines.size() > 1) {
    text = phrase + ": " + within(text);
  }
  if (extremes.differ()) {
    text += growth_against(contrasts_of({extremes}).front());
    counts.push_back(counted_runs(*extremes.least).size());
  }
  if (const std::string medians = medians_text(counts); !medians.empty()) {
    text.insert(text.size() - 1, medians);
  }
  for (const Line* line : extremes.died) {
    if (line == extremes.furthest) continue;
    text += " " + phrase_of(*line, extremes) + " " + ending_of(*line) + ".";
  }
  return text;
}

/// " (medians of 3 repeats; repeat 1 stands for them in charts and tables)"; "" without repeats.
std::string repeats_text(const Line& line) {
  if (line.runs.size() < 2) return "";
  const std::size_t counted = counted_runs(line).size();
  return " (" + (counted < 2 ? "" : "medians of " + std::to_string(counted) + " repeats; ") +
         line.repeat_text() + " stands for the " + std::to_string(line.runs.size()) +
         " in charts and tables)";
}

}  // namespace

std::string finding(const Json& record) {
  if (std::string text = interruption(record); !text.empty()) return text;
  return run_ahead(measured_of(record), sync_phrase(value_at(record, "/config/sync")));
}

std::string headline(const Comparison& comparison) {
  std::vector<const Line*> lines = counted_lines(comparison);
  const auto sharing = std::erase_if(lines, shares_cpus);
  if (lines.empty() && sharing > 0) return "No finding: all runs shared CPUs with others.";
  std::string text = joined(grouped(lines, source_of), " ", [&](const auto& of_sweep) {
    return headline_of(of_sweep, comparison);
  });
  if (sharing > 0) text += " " + sharing_text(sharing) + ".";
  if (!text.empty()) return text;
  return joined(comparison.lines, "; ",
                [](const Line& line) { return line.label + ": " + sentence(line); });
}

std::string sentence(const Line& line) {
  const Measured run = measured_of(line);
  std::string text = interruption(line);
  if (!text.empty()) text = within(text.substr(0, text.size() - 1));
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!run.ending.empty() && text.empty()) add(run.ending);
  if (run.issue && run.total && !run.is_cut_short) {
    add((run.batches ? "the last batch was issued after " : "issuing ended after ") +
        format_duration(*run.issue) + ", and everything had run after " +
        format_duration(*run.total));
  }
  if (run.batches) {
    const double held = run.held.value_or(0.0);
    add("up to " + batches_text(*run.batches) +
        (held > 0.0 ? ", whose inputs held " + format_size(held) : ""));
  }
  if (run.growth) {
    add("the process grew by " + std::string(run.is_cut_short ? "at least " : "") +
        format_size(*run.growth));
  }
  return text.empty() ? "nothing was measured" : text + repeats_text(line);
}

std::string tally(const std::vector<std::string>& names) {
  auto groups = grouped(names, std::identity());
  std::ranges::stable_sort(groups, std::greater(), &std::vector<std::string>::size);
  return joined(groups, ", ", [](const std::vector<std::string>& group) {
    return std::to_string(group.size()) + " " + group.front();
  });
}

std::string states(const std::vector<const Run*>& runs) {
  std::vector<std::string> names;
  for (const Run* run : runs) names.push_back(run->status());
  return tally(names);
}

std::string overview(const std::vector<Run>& runs) {
  return counted(runs.size(), "run") + ": " + states(pointers_to(runs)) + ".";
}

}  // namespace runahead::report
