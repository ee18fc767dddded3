#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/report/comparison.h"

/// Selects the runs of a comparison that a finding compares.
namespace runahead::report {

inline constexpr const char* kTotal = "/time/total_seconds";
inline constexpr const char* kGrowth = "/memory/rss_growth_bytes";
inline constexpr const char* kBatches = "/backlog/batches_peak";

/// A ratio of times closer to 1 than this is called "about the same".
inline constexpr double kAlike = 0.05;

/// The runs of one sweep that ran ahead furthest and least.
struct Extremes {
  const Run* furthest = nullptr;
  const Run* least = nullptr;

  [[nodiscard]] bool differ() const;
};

/// @param runs  Not empty; each has a count of its batches in flight.
[[nodiscard]] Extremes extremes_of(const std::vector<const Run*>& runs);

/// The main run of each line, if its batches in flight were counted.
[[nodiscard]] std::vector<const Run*> counted_runs(const Comparison& comparison);

/// Whether the run shared its CPUs with other runs, which affects its times and its backlog.
[[nodiscard]] bool shares_cpus(const Run* run);

/// The folder of a run, as a key for `grouped`.
[[nodiscard]] const std::string& source_of(const Run* run);

/// The ratio of the total times; nullopt if one is unknown or was cut short.
[[nodiscard]] std::optional<double> ratio_of_times(const Run& run, const Run& other);

/// Clamps the number to a range that is safe to convert: a record may hold any number.
[[nodiscard]] std::uint64_t count_of(double batches);

/// Turns a phrase that begins a sentence into one for the middle of a sentence.
[[nodiscard]] std::string within(std::string phrase);

}  // namespace runahead::report
