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

std::string batches_text(double batches) {
  return counted(count_of(batches), "batch was", "batches were") + " in flight";
}

std::string phrase_of(const Run& run) {
  const std::string phrase = sync_phrase(run.object("/config/sync"));
  return run.source.empty() ? phrase : "In " + run.source + " " + within(phrase);
}

std::string run_ahead(const Json& record, const std::string& phrase) {
  const auto batches = record::number_at(record, kBatches);
  if (!batches) return "";
  std::string text = phrase;
  if (const auto issue = record::number_at(record, kIssue)) {
    text += " the front end finished issuing after " + format_duration(*issue);
  }
  text += "; up to " + batches_text(*batches);
  if (const double held = record::number_at(record, kHeld).value_or(0.0); held > 0.0) {
    text += (*batches == 1 ? "; its inputs held " : "; their inputs held ") + format_size(held);
  }
  const Json& status = value_at(record, "/status");
  if (status.is_string() && status != "ok") text += "; it ended as " + status.get<std::string>();
  return text + ".";
}

/// "Interrupted after 1.65 s: 96 of 100,000 batches issued, 96 finished."; "" for other runs.
std::string interruption(const Json& record) {
  const auto seconds = record::number_at(record, kTotal);
  const auto batches = record::number_at(record, "/config/batches");
  const auto issued = record::number_at(record, "/results/batches_issued");
  const auto finished = record::number_at(record, "/results/batches_finished");
  const bool is_interrupted = value_at(record, "/status") == "interrupted";
  if (!is_interrupted || !seconds || !batches || !issued || !finished) return "";
  return "Interrupted after " + format_duration(*seconds) + ": " + format_count(*issued) + " of " +
         format_count(*batches) + " batches issued, " + format_count(*finished) + " finished.";
}

std::string sharing_text(std::size_t runs) {
  return counted(runs, "line is left out, because its run",
                 "lines are left out, because their runs") +
         " shared CPUs with others";
}

/// ", in 1.10 times its time"; "" if a time is unknown.
std::string in_time(const Run& run, const Run& other) {
  const auto ratio = ratio_of_times(run, other);
  if (!ratio) return "";
  if (std::abs(*ratio - 1.0) <= kAlike) return ", in about the same time";
  return ", in " + three_digits(*ratio) + " times its time";
}

/// " The process grew by 148 MB, 5.90 times as much as with a wait after every batch (25.3 MB)."
std::string growth_against(const Run& furthest, const Run& least) {
  const auto grown = furthest.number(kGrowth);
  const auto other = least.number(kGrowth);
  if (!grown || !other) return "";
  const std::string named = within(sync_phrase(least.object("/config/sync")));
  std::string text = " The process grew by " + format_size(*grown);
  const std::string compared = named + " (" + format_size(*other) + ")";
  if (*other > 0.0 && std::abs(*grown / *other - 1.0) <= kAlike) {
    text += ", about as much as " + compared;
  } else if (*other > 0.0 && *other < *grown) {
    text += ", " + three_digits(*grown / *other) + " times as much as " + compared;
  } else {
    text += "; " + named + " by " + format_size(*other);
  }
  return text + in_time(furthest, least) + ".";
}

/// The finding of the runs of one sweep. @param runs  Not empty.
std::string headline_of(const std::vector<const Run*>& runs) {
  const Extremes extremes = extremes_of(runs);
  return run_ahead(extremes.furthest->record, phrase_of(*extremes.furthest)) +
         (extremes.differ() ? growth_against(*extremes.furthest, *extremes.least) : "");
}

}  // namespace

std::string finding(const Json& record) {
  if (std::string text = interruption(record); !text.empty()) return text;
  return run_ahead(record, sync_phrase(value_at(record, "/config/sync")));
}

std::string headline(const Comparison& comparison) {
  std::vector<const Run*> runs = counted_runs(comparison);
  const auto sharing = std::erase_if(runs, shares_cpus);
  if (runs.empty() && sharing > 0) return "No finding: all runs shared CPUs with others.";
  std::string text = joined(grouped(runs, source_of), " ", headline_of);
  if (sharing > 0) text += " " + sharing_text(sharing) + ".";
  if (!text.empty()) return text;
  return joined(comparison.lines, "; ",
                [](const Line& line) { return line.label + ": " + sentence(line.main()); });
}

std::string sentence(const Run& run) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!run.is_ok()) add("ended as " + run.status());
  const auto issue = run.number(kIssue);
  const auto total = run.number(kTotal);
  if (issue && total) {
    add("the last batch was issued after " + format_duration(*issue) +
        ", and everything had run after " + format_duration(*total));
  }
  if (const auto batches = run.number(kBatches)) {
    const double held = run.number(kHeld).value_or(0.0);
    add("up to " + batches_text(*batches) +
        (held > 0.0 ? ", whose inputs held " + format_size(held) : ""));
  }
  if (const auto growth = run.number(kGrowth)) add("the process grew by " + format_size(*growth));
  return text.empty() ? "nothing was measured" : text;
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
