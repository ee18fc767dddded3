#include "core/record/condition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

namespace runahead::record {
namespace {

// Of two operators with a common prefix, the longer comes first.
constexpr std::array<std::pair<std::string_view, bool (*)(double, double)>, 4> kComparisons{
    {{">=", [](double value, double bound) { return value >= bound; }},
     {"<=", [](double value, double bound) { return value <= bound; }},
     {">", [](double value, double bound) { return value > bound; }},
     {"<", [](double value, double bound) { return value < bound; }}}};

constexpr std::array<std::string_view, 3> kOpenSections{"/results/", "/memory/cuda/",
                                                        "/memory/attribution/"};

/// "/memory/rss_peak_bytes" for "memory.rss_peak_bytes".
std::string pointer_of(std::string name) {
  if (name.starts_with('/')) return name;
  std::ranges::replace(name, '.', '/');
  return "/" + name;
}

/// "memory.rss_peak_bytes" for "/memory/rss_peak_bytes".
std::string path_of(std::string pointer) {
  pointer.erase(0, 1);
  std::ranges::replace(pointer, '/', '.');
  return pointer;
}

/// The unit of the last key that names one: "results.dispatch.copy_seconds.median".
Unit unit_of_place(std::string_view pointer) {
  while (!pointer.empty()) {
    const std::size_t slash = pointer.rfind('/');
    if (const Unit unit = unit_of_key(pointer.substr(slash + 1)); unit != Unit::kNumber) {
      return unit;
    }
    pointer = pointer.substr(0, slash);
  }
  return Unit::kNumber;
}

[[noreturn]] void refuse_figure(const std::string& name) {
  std::vector<std::string> names;
  for (const Figure& figure : figures()) names.emplace_back(figure.name);
  for (const Figure& figure : figures()) names.push_back(path_of(figure.pointer));
  const std::string* nearest = nearest_name(name, names);
  throw ConfigError("--fail-if: there is no figure '" + name + "'" +
                    (nearest == nullptr ? "; " : "; did you mean " + *nearest + "? ") +
                    "`runahead experiments` lists the figures");
}

void take_figure(const std::string& name, Condition& condition) {
  const std::string pointer = pointer_of(name);
  for (const Figure& figure : figures()) {
    if (name != figure.name && pointer != figure.pointer) continue;
    condition.pointer = figure.pointer;
    condition.unit = figure.unit;
    return;
  }
  const bool is_open = std::ranges::any_of(kOpenSections, [&pointer](std::string_view section) {
    return pointer.starts_with(section) && pointer.size() > section.size();
  });
  // A tilde starts an escape in JSON pointers, and no key of a record contains one.
  if (!is_open || pointer.find('~') != std::string::npos) refuse_figure(name);
  condition.pointer = pointer;
  condition.unit = unit_of_place(pointer);
}

std::optional<double> parse_bound(Unit unit, std::string_view text) {
  if (unit == Unit::kSeconds) return parse_duration(text);
  if (unit != Unit::kBytes) {
    const std::optional<double> number = parse_number<double>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
  }
  const std::optional<std::uint64_t> bytes = parse_bytes(text);
  return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

const char* allowed_bounds(Unit unit) {
  if (unit == Unit::kSeconds) return "a duration, such as 1.5s, 250ms or 5min";
  return unit == Unit::kBytes ? "a size, such as 2GiB, 500MB or 1024" : "a number";
}

/// Three significant digits: "50.0", "300,000".
std::string percent_text(double percent) {
  if (percent < 999.5) return three_digits(percent);
  const double unit = std::pow(10.0, std::floor(std::log10(percent)) - 2.0);
  return format_count(std::round(percent / unit) * unit);
}

/// "3.00 GB, 1.00 GB (50.0 %) above".
std::string excess_text(const Condition& condition, double value) {
  const double excess = std::abs(value - condition.bound);
  if (excess == 0.0) return text_of(condition.unit, value) + ", the bound itself";
  std::string share;
  if (condition.bound != 0.0) {
    const double percent = 100.0 * excess / std::abs(condition.bound);
    share = " (" + percent_text(percent) + " %)";
  }
  return text_of(condition.unit, value) + ", " + text_of(condition.unit, excess) + share +
         (value > condition.bound ? " above" : " below");
}

}  // namespace

Condition parse_condition(const std::string& text) {
  const std::size_t at = text.find_first_of("<>");
  const std::string_view rest = std::string_view(text).substr(std::min(at, text.size()));
  const auto comparison = std::ranges::find_if(
      kComparisons, [rest](const auto& known) { return rest.starts_with(known.first); });
  const std::string name(trimmed(std::string_view(text).substr(0, at)));
  if (comparison == kComparisons.end() || name.empty()) {
    throw ConfigError("--fail-if: found '" + text +
                      "'; allowed: a figure, one of > >= < <=, and a bound, as in "
                      "'memory.rss_peak_bytes > 2GiB'");
  }
  Condition condition{.text = text, .holds = comparison->second};
  take_figure(name, condition);
  const std::string_view bound = trimmed(rest.substr(comparison->first.size()));
  const std::optional<double> value = parse_bound(condition.unit, bound);
  if (!value) {
    throw ConfigError("--fail-if: found '" + std::string(bound) + "' as a bound of " + name +
                      "; allowed: " + allowed_bounds(condition.unit));
  }
  condition.bound = *value;
  return condition;
}

std::vector<Condition> parse_conditions(const std::vector<std::string>& texts) {
  std::vector<Condition> conditions;
  conditions.reserve(texts.size());
  for (const std::string& text : texts) conditions.push_back(parse_condition(text));
  return conditions;
}

std::optional<std::string> failure_of(const Condition& condition, const Json& document,
                                      const std::string& run) {
  const std::string start =
      "--fail-if '" + condition.text + "': " + (run.empty() ? "" : run + ": ") + "it ";
  const std::optional<double> value = number_at(document, condition.pointer);
  if (is_not_finite(document, condition.pointer)) {
    return start + "is not finite, which counts as a failure";
  }
  if (!value) return start + "was not measured, which counts as a failure";
  if (!condition.holds(*value, condition.bound)) return std::nullopt;
  return start + "is " + excess_text(condition, *value);
}

std::vector<std::string> failures_of(const std::vector<Condition>& conditions, const Record& record,
                                     const std::string& run) {
  std::vector<std::string> failures;
  if (conditions.empty()) return failures;
  const Json document = to_json(record);
  for (const Condition& condition : conditions) {
    if (auto failure = failure_of(condition, document, run)) {
      failures.push_back(*std::move(failure));
    }
  }
  return failures;
}

}  // namespace runahead::record
