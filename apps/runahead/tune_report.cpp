#include "apps/runahead/tune_report.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/number_text.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/config/experiment_kinds.h"
#include "core/record/figures.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

using sweep::Bound;
using sweep::SmallestFound;
using sweep::TuneCandidate;

constexpr std::int64_t kTuneSchemaVersion = 1;
constexpr double kShortCellSeconds = 1.0;
constexpr double kLongCellSeconds = 3.0;
constexpr const char* kKnee = "◆";

std::optional<double> median_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

const std::optional<SmallestFound>& found_of(const TuneReport& report, Bound bound) {
  return bound == Bound::kWindow ? report.result.window : report.result.bytes;
}

bool is_smallest(const TuneReport& report, const TuneCandidate& candidate) {
  const auto& found = found_of(report, candidate.bound);
  return found && found->smallest == candidate.value;
}

const char* verdict_key(sweep::Verdict verdict) {
  if (verdict == sweep::Verdict::kKeeps) return "keeps";
  return verdict == sweep::Verdict::kDoesNotKeep ? "does_not_keep" : "none";
}

const char* verdict_words(const TuneCandidate& candidate) {
  switch (candidate.ratio.verdict()) {
    case sweep::Verdict::kKeeps:
      return "reaches the target";
    case sweep::Verdict::kDoesNotKeep:
      return "misses the target";
    case sweep::Verdict::kNone:
      break;
  }
  return candidate.ratio.needs_more() ? "not measured to the end" : "inconclusive (noise)";
}

/// "47 MiB (49.3 MB)": as people write it, then in the units of the other sizes.
std::string budget_text(std::uint64_t bytes) {
  std::string text = sweep::binary_size_text(bytes);
  const std::size_t unit = std::min(text.find_first_not_of("0123456789"), text.size());
  text.insert(unit, unit == text.size() ? " B" : " ");
  return text + " (" + format_bytes(bytes) + ")";
}

std::string value_text(Bound bound, std::uint64_t value) {
  if (bound == Bound::kBytes) return budget_text(value);
  return std::to_string(value) + (value == 1 ? " batch" : " batches");
}

/// The settings for the config: {"sync": {…}}.
Json settings_of(const TuneReport& report, Bound bound, std::uint64_t value) {
  return sweep::settings_of(
      report.config, bound,
      bound == Bound::kBytes ? Json(sweep::binary_size_text(value)) : Json(value));
}

/// The outcome of a search, in words.
std::string conclusion(const TuneReport& report, Bound bound, const SmallestFound& found) {
  const std::string noun = bound == Bound::kWindow ? "window" : "budget";
  if (!found.smallest && found.below_does_not) {
    return "no " + noun + " reaches the target: only an unbounded run-ahead does";
  }
  if (!found.smallest) {
    return noun + ": inconclusive, because of " +
           (found.stopped_by_bound ? "the bound of runs" : "noise");
  }
  const std::string value = value_text(bound, *found.smallest);
  if (found.below_does_not) return "smallest " + noun + ": " + value;
  const auto& candidates = report.result.candidates;
  const bool is_first = std::ranges::none_of(candidates, [&](const TuneCandidate& candidate) {
    return candidate.bound == bound && candidate.value < *found.smallest;
  });
  if (!is_first) return "smallest " + noun + " that was shown to reach the target: " + value;
  return "smallest " + noun + ": " + value +
         (bound == Bound::kWindow ? ", there is none below"
                                  : "; no smaller budget works, because even waiting after every "
                                    "batch needs this much");
}

Json runs_json(const sweep::PolicyRuns& runs) {
  return {{"runs", runs.count},
          {"examples_per_second", or_null(median_of(runs.examples_per_second))},
          {"seconds", or_null(median_of(runs.seconds))},
          {"peak_bytes", or_null(median_of(runs.peak_bytes))},
          {"growth_bytes", or_null(median_of(runs.growth_bytes))}};
}

Json candidate_json(const TuneReport& report, const TuneCandidate& candidate) {
  const bool is_window = candidate.bound == Bound::kWindow;
  const auto& interval = candidate.ratio.interval();
  Json json = {{"name", name_of(candidate)},
               {"policy", is_window ? "window" : "budget"},
               {is_window ? "batches" : "bytes", candidate.value},
               {"of_none", interval ? Json(interval->value) : Json(nullptr)},
               {"of_none_lower", interval ? or_null(interval->lower) : Json(nullptr)},
               {"of_none_upper", interval ? or_null(interval->upper) : Json(nullptr)},
               {"verdict", verdict_key(candidate.ratio.verdict())},
               {"is_smallest", is_smallest(report, candidate)}};
  json.update(runs_json(candidate.runs));
  return json;
}

Json found_json(const TuneReport& report, Bound bound) {
  const auto& found = found_of(report, bound);
  if (!found) return nullptr;
  Json json = {{"smallest", or_null(found->smallest)},
               {"sync", nullptr},
               {"below_does_not", found->below_does_not},
               {"stopped_by_noise", found->stopped_by_noise},
               {"stopped_by_bound", found->stopped_by_bound},
               {"conclusion", conclusion(report, bound, *found)}};
  if (found->smallest) json.update(settings_of(report, bound, *found->smallest));
  return json;
}

/// The number of batches with which a cell would take kLongCellSeconds.
std::string longer_cells(const TuneReport& report, double seconds) {
  if (config::runs_command(report.config)) {
    return "longer runs (these took " + format_duration(seconds) + " each)";
  }
  const double batches = static_cast<double>(report.config.batches);
  const double wanted = std::ceil(batches * std::max(2.0, kLongCellSeconds / seconds));
  return "more batches per run (--set /batches=" + formatted("%.0f", wanted) +
         "; these runs took " + format_duration(seconds) + " each)";
}

/// "the 2 candidates reach", "1 of 3 candidates reaches".
std::string open_text(std::size_t open, std::size_t candidates) {
  const std::string verb = open == 1 ? " reaches" : " reach";
  if (open < candidates) {
    return std::to_string(open) + " of " + counted(candidates, "candidate") + verb;
  }
  return (open == 1 ? "the candidate" : "the " + counted(open, "candidate")) + verb;
}

/// Why the result may be wrong.
std::vector<std::string> doubts_of(const TuneReport& report) {
  const sweep::TuneResult& result = report.result;
  std::vector<std::string> doubts;
  if (result.disturbed_pairs > 0) {
    doubts.push_back("Something else had the CPU in " + std::to_string(result.disturbed_pairs) +
                     " of " + std::to_string(result.pairs) +
                     " pairs of runs: repeat on a quiet machine.");
  }
  const auto& candidates = result.candidates;
  const auto open = std::ranges::count_if(candidates, [](const auto& candidate) {
    return candidate.ratio.verdict() == sweep::Verdict::kNone && !candidate.ratio.needs_more();
  });
  const auto seconds = median_of(result.none.seconds);
  if (seconds && open > 0) {
    doubts.push_back(
        "Noise hides whether " + open_text(static_cast<std::size_t>(open), candidates.size()) +
        " the target: after " + std::to_string(sweep::PairedRatio::kMostPairs) +
        " pairs of runs the confidence intervals still include it. To get a verdict, use " +
        longer_cells(report, *seconds) + ", a quieter machine, or a lower --target.");
  } else if (seconds && *seconds < kShortCellSeconds) {
    doubts.push_back("Runs this short measure the start as well: " +
                     longer_cells(report, *seconds) + " make the figures those of a long run.");
  }
  if (result.reached_most_cells) {
    doubts.push_back("The search ended at its bound of runs: " + std::to_string(result.cells) +
                     " were made.");
  }
  return doubts;
}

std::string size_text(const std::vector<double>& bytes) {
  return record::text_of(record::Unit::kBytes, median_of(bytes));
}

std::string candidates_table(const TuneReport& report) {
  report::Table table{.headings = {"candidate", "verdict", "pairs of runs", "throughput / none",
                                   "peak live + queued bytes", "RSS growth"},
                      .text_columns = 2};
  for (const TuneCandidate& candidate : report.result.candidates) {
    const std::string knee = is_smallest(report, candidate) ? std::string(" ") + kKnee : "";
    table.add_row({name_of(candidate), verdict_words(candidate) + knee,
                   std::to_string(candidate.ratio.pairs()), interval_text(candidate),
                   size_text(candidate.runs.peak_bytes), size_text(candidate.runs.growth_bytes)});
  }
  const sweep::PolicyRuns& none = report.result.none;
  table.add_row({"none", "", std::to_string(none.count), "1.000", size_text(none.peak_bytes),
                 size_text(none.growth_bytes)});
  return to_text(table);
}

/// The settings as people write them in a config.
std::string settings_text(const TuneReport& report, Bound bound, std::uint64_t value) {
  const Json settings = settings_of(report, bound, value);
  const auto section = settings.begin();
  const auto text_of = [](const auto& setting) {
    return dump_json(setting.key()) + ": " + dump_json(setting.value());
  };
  return dump_json(section.key()) + ": {" + joined(section.value().items(), ", ", text_of) + "}";
}

std::string conclusion_lines(const TuneReport& report, Bound bound) {
  const auto& found = found_of(report, bound);
  if (!found) return {};
  std::string text = conclusion(report, bound, *found) + "\n";
  if (found->smallest) text += "  " + settings_text(report, bound, *found->smallest) + "\n";
  return text;
}

}  // namespace

std::string name_of(const TuneCandidate& candidate) {
  if (candidate.bound == Bound::kWindow) return "window " + std::to_string(candidate.value);
  return "budget " + sweep::binary_size_text(candidate.value);
}

std::string interval_text(const TuneCandidate& candidate) {
  const auto& interval = candidate.ratio.interval();
  if (!interval) return "-";
  return formatted("%.3f", interval->value) + " (" + formatted("%.3f", *interval->lower) + " to " +
         formatted("%.3f", *interval->upper) + ")";
}

std::string progress_text(const TuneCandidate& candidate) {
  using sweep::PairedRatio;
  std::string text = name_of(candidate) + ": pair " + std::to_string(candidate.ratio.pairs()) +
                     " of " + std::to_string(PairedRatio::kAttempts.front()) + " to " +
                     std::to_string(PairedRatio::kMostPairs);
  if (candidate.ratio.interval()) text += ", throughput of none " + interval_text(candidate);
  return text;
}

Json tune_json(const TuneReport& report) {
  Json candidates = Json::array();
  for (const TuneCandidate& candidate : report.result.candidates) {
    candidates.push_back(candidate_json(report, candidate));
  }
  return {{"schema_version", kTuneSchemaVersion},
          {"status", report.status},
          {"target", report.target},
          {"config", config::to_json(report.config)},
          {"cells", report.result.cells},
          {"pairs", report.result.pairs},
          {"disturbed_pairs", report.result.disturbed_pairs},
          {"none", runs_json(report.result.none)},
          {"candidates", candidates},
          {"window", found_json(report, Bound::kWindow)},
          {"budget", found_json(report, Bound::kBytes)},
          {"advice", doubts_of(report)}};
}

std::string tune_text(const TuneReport& report) {
  std::string text;
  for (const std::string& sentence : doubts_of(report)) text += sentence + "\n";
  if (!text.empty()) text += "\n";
  text += "Target: " + significant(100.0 * report.target, 4) +
          " % of the throughput of the policy \"none\", which has no bound on run-ahead.\n"
          "Brackets hold confidence intervals; " +
          kKnee + " marks the smallest that reaches the target.\n\n";
  return text + candidates_table(report) + "\n" + conclusion_lines(report, Bound::kWindow) +
         conclusion_lines(report, Bound::kBytes);
}

}  // namespace runahead::apps
