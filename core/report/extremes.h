#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/report/compared.h"
#include "core/report/comparison.h"

/// Selects the lines of a comparison that a finding compares, and compares them.
namespace runahead::report {

inline constexpr const char* kTotal = "/time/total_seconds";
inline constexpr const char* kGrowth = "/memory/rss_growth_bytes";
inline constexpr const char* kBatches = "/backlog/batches_peak";

/// A ratio of times closer to 1 than this is called "about the same".
inline constexpr double kAlike = 0.05;

/// The runs whose medians stand for a line: those that are ok, or all of them if none is.
[[nodiscard]] std::vector<const Run*> counted_runs(const Line& line);

/// How the runs that are not ok ended: "2 of 3 runs ended as out_of_memory and 1 as crashed", "the
/// run ended as timed_out"; "" if all are ok.
[[nodiscard]] std::string ending_of(const Line& line);

/// Whether counted_runs() ended early: their figures do not cover the whole run.
[[nodiscard]] bool is_cut_short(const Line& line);

/// The median of a figure over counted_runs(); nullopt if none of them has it.
[[nodiscard]] std::optional<double> median_of(const Line& line, const char* pointer);

/// The lines of one sweep that ran ahead furthest and least.
struct Extremes {
  const Line* furthest = nullptr;
  const Line* least = nullptr;
  std::string place{};  ///< "at batch size 128"; "" if it is the only one, or shown next to it.
  std::vector<const Line*> died{};  ///< Lines with runs that are not ok, compared or not.

  [[nodiscard]] bool differ() const;
  /// "With a window of 2 batches", "With limit off": `line` by its policy, or by the axes in which
  /// it differs if both lines have one policy.
  [[nodiscard]] std::string phrase(const Line& line) const;
};

/// @param lines  Not empty, and of one folder; each has a count of its batches in flight.
/// @param comparison  Theirs.
[[nodiscard]] Extremes extremes_of(const std::vector<const Line*>& lines,
                                   const Comparison& comparison);

/// What the line that ran ahead furthest changed, against the one that did least.
struct Contrast {
  Extremes lines{};
  /// Its growth. That of runs that ended early is a lower bound. Without medians if this bound
  /// proves no difference: the other side grew further, or by about as much.
  Compared memory{};
  Compared time{};  ///< The total time; only of runs that are ok.
};

/// The contrasts of all `extremes`, in their order. They are judged together.
[[nodiscard]] std::vector<Contrast> contrasts_of(const std::vector<Extremes>& extremes);

/// Second over first; nullopt if a median is unknown or not above 0.
[[nodiscard]] std::optional<double> ratio_of_medians(const Compared& one);

/// The lines whose batches in flight were counted.
[[nodiscard]] std::vector<const Line*> counted_lines(const Comparison& comparison);

/// Whether a run of the line shared its CPUs with others, which affects its times and its backlog.
[[nodiscard]] bool shares_cpus(const Line* line);

/// The folder of a line, as a key for `grouped`.
[[nodiscard]] const std::string& source_of(const Line* line);

/// " (medians of 3 repeats)", " (medians of 2 to 3 repeats)"; "" if there is only one of each.
/// @param counts  Of the runs behind each figure; 0 for a figure that is not shown.
[[nodiscard]] std::string medians_text(const std::vector<std::size_t>& counts);

/// Rounds and clamps the number to a range that is safe to convert: a record may hold any number.
[[nodiscard]] std::uint64_t count_of(double batches);

/// Turns a phrase that begins a sentence into one for the middle of a sentence.
[[nodiscard]] std::string within(std::string phrase);

}  // namespace runahead::report
