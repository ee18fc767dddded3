#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/record/figures.h"

/// What `--fail-if` takes: "memory.rss_peak_bytes > 2GiB".
namespace runahead::record {

/// A bound that a figure of a record must not pass.
struct Condition {
  enum class Comparison { kAbove, kAtLeast, kBelow, kAtMost };

  std::string text{};     ///< As the user wrote it.
  std::string pointer{};  ///< JSON pointer into a record.
  Unit unit = Unit::kNumber;
  Comparison comparison = Comparison::kAbove;
  double bound = 0.0;
};

/// Reads a figure, one of > >= < <=, and a bound. The figure is named as in figures(), or by its
/// place in the record ("memory.rss_peak_bytes", "/memory/rss_peak_bytes"). What lies below
/// `results`, `memory.cuda` and `memory.attribution` depends on the run, so each such place is
/// taken. A bound of bytes is read by parse_bytes, one of seconds by parse_duration.
/// @throws ConfigError with the nearest name for a figure that there is not.
[[nodiscard]] Condition parse_condition(const std::string& text);

/// The same of each.
[[nodiscard]] std::vector<Condition> parse_conditions(const std::vector<std::string>& texts);

/// Why a record fails, if the condition holds or its figure was not measured: "--fail-if
/// 'rss_peak_bytes > 2GB': it is 3.00 GB, 1.00 GB (50.0 %) above".
/// @param document  The record as to_json gives it.
/// @param run       Which run it is, for people; may be empty.
[[nodiscard]] std::optional<std::string> failure_of(const Condition& condition,
                                                    const Json& document,
                                                    const std::string& run = {});

/// The failures of a record, in the order of the conditions.
[[nodiscard]] std::vector<std::string> failures_of(const std::vector<Condition>& conditions,
                                                   const Record& record,
                                                   const std::string& run = {});

}  // namespace runahead::record
