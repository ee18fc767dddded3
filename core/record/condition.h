#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/record/figures.h"

/// The conditions of `--fail-if`: "memory.rss_peak_bytes > 2GiB".
namespace runahead::record {

/// A comparison of a figure with a bound. A record for which it holds fails.
struct Condition {
  std::string text{};     ///< As the user wrote it.
  std::string pointer{};  ///< JSON pointer into a record.
  Unit unit = Unit::kNumber;
  double bound = 0.0;
  bool (*holds)(double value, double bound) = nullptr;  ///< The comparison.
};

/// Parses a figure, one of > >= < <=, and a bound. The figure is named as in figures(), or by its
/// place in the record ("memory.rss_peak_bytes", "/memory/rss_peak_bytes"). The keys below
/// `results`, `memory.cuda` and `memory.attribution` depend on the run, so any place there is
/// accepted. A bound in bytes is read by parse_bytes, one in seconds by parse_duration.
/// @throws ConfigError for a text that cannot be parsed; for an unknown figure it suggests the
/// nearest name.
[[nodiscard]] Condition parse_condition(const std::string& text);

/// parse_condition() of each text.
[[nodiscard]] std::vector<Condition> parse_conditions(const std::vector<std::string>& texts);

/// Why a record fails, if the condition holds or its figure was not measured: "--fail-if
/// 'rss_peak_bytes > 2GB': it is 3.00 GB, 1.00 GB (50.0 %) above". nullopt if it does not fail.
/// @param document  The record as returned by to_json.
/// @param run       Name of the run, for people; may be empty.
[[nodiscard]] std::optional<std::string> failure_of(const Condition& condition,
                                                    const Json& document,
                                                    const std::string& run = {});

/// The failures of a record, in the order of the conditions.
[[nodiscard]] std::vector<std::string> failures_of(const std::vector<Condition>& conditions,
                                                   const Record& record,
                                                   const std::string& run = {});

}  // namespace runahead::record
