#pragma once

#include <limits>
#include <string>

#include "core/reproduce/claim.h"

/// Findings with their evidence. judged() derives both from the same number.
namespace runahead::reproduce {

/// The bounds that a claim sets for a number.
struct Limit {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool excludes_bounds = false;

  [[nodiscard]] bool allows(double value) const;
};

[[nodiscard]] constexpr Limit below(double most) { return {.most = most, .excludes_bounds = true}; }
[[nodiscard]] constexpr Limit above(double least) {
  return {.least = least, .excludes_bounds = true};
}
[[nodiscard]] constexpr Limit at_most(double most) { return {.most = most}; }
[[nodiscard]] constexpr Limit at_least(double least) { return {.least = least}; }
[[nodiscard]] constexpr Limit between(double least, double most) {
  return {.least = least, .most = most};
}
[[nodiscard]] constexpr Limit exactly(double value) { return between(value, value); }

/// Formats a number for people.
using NumberText = std::string (*)(double value);

/// "0.8", "1.15", "9,000": three digits, without an exponent.
[[nodiscard]] std::string number_text(double value);
/// "1.15 %" for 0.0115.
[[nodiscard]] std::string percent_text(double share);
/// A figure in the unit that its key names: "50.8 µs" for "copy_seconds", "47 MB" for "peak_bytes".
[[nodiscard]] std::string quantity_text(const std::string& key, double value);
/// A figure's name in words: "queue issue" for "/results/queue_issue_seconds".
[[nodiscard]] std::string words_of(const std::string& pointer);

/// The number that decides a claim.
struct Evidence {
  std::string what{};  ///< Text before the number: "dispatch takes".
  double value = 0.0;
  Limit limit{};
  NumberText text = number_text;
  std::string of{};    ///< Text after the number: " of copy".
  std::string from{};  ///< The figures that the number was computed from; may be empty.
  Json values = Json::object();
};

/// Whether the number is within its limit, with a description:
/// "dispatch takes 1.15 % of copy (limit: below 10 %): 50.8 µs of 4.41 ms".
[[nodiscard]] Finding judged(Evidence evidence);

}  // namespace runahead::reproduce
