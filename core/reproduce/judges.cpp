#include "core/reproduce/judges.h"

#include <cmath>
#include <utility>

#include "core/base/number_text.h"

namespace runahead::reproduce {
namespace {

/// "copy_seconds" of "/results/dispatch/copy_seconds".
std::string key_of(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

/// Names of two figures in one sentence, with their runs where these differ.
std::pair<std::string, std::string> names_of(const Place& one, const Place& other) {
  if (one.run == other.run) return {key_of(one.pointer), key_of(other.pointer)};
  return {one.run + " " + key_of(one.pointer), other.run + " " + key_of(other.pointer)};
}

/// Judges the ratio of the `chosen` values of two spreads.
Judge compares(Place part, Place whole, double (*chosen)(const Spread&),
               std::function<bool(double ratio)> holds) {
  return [part = std::move(part), whole = std::move(whole), chosen,
          holds = std::move(holds)](const Measured& measured) -> Finding {
    const auto small = measured.figure(part.run, part.pointer);
    const auto large = measured.figure(whole.run, whole.pointer);
    if (!small) return not_measured(measured, part.run);
    if (!large) return not_measured(measured, whole.run);
    const double ratio = chosen(*small) / chosen(*large);
    if (!std::isfinite(ratio)) return not_measured(measured, whole.run);
    const auto [small_name, large_name] = names_of(part, whole);
    return {.holds = holds(ratio),
            .measured = number_text(100.0 * ratio) + " %: " + small_name + " " +
                        spread_text(*small) + ", " + large_name + " " + spread_text(*large),
            .values = {{small_name, to_json(small)}, {large_name, to_json(large)}}};
  };
}

}  // namespace

std::string number_text(double value) { return formatted("%.3g", value); }

std::string spread_text(const Spread& spread) {
  return number_text(spread.median) + " (" + number_text(spread.min) + " to " +
         number_text(spread.max) + ")";
}

Finding not_measured(const Measured& measured, const std::string& run) {
  return {.measured = "not measured: " + measured.reason(run)};
}

Judge below_share(Place part, double share, Place whole) {
  return compares(
      std::move(part), std::move(whole), [](const Spread& spread) { return spread.median; },
      [share](double ratio) { return ratio < share; });
}

Judge least_at_most(Place part, double share, Place whole) {
  return compares(
      std::move(part), std::move(whole), [](const Spread& spread) { return spread.min; },
      [share](double ratio) { return ratio <= share; });
}

Judge paired_at_most(Place part, double share, Place whole) {
  return [part = std::move(part), share, whole = std::move(whole)](const Measured& measured) {
    const std::vector<double> parts = measured.figures(part.run, part.pointer);
    const std::vector<double> wholes = measured.figures(whole.run, whole.pointer);
    if (parts.empty()) return not_measured(measured, part.run);
    if (wholes.size() != parts.size()) return not_measured(measured, whole.run);
    std::vector<double> percents;
    for (std::size_t i = 0; i < parts.size(); ++i) percents.push_back(100.0 * parts[i] / wholes[i]);
    const Spread percent = spread_of(percents).value();
    if (!std::isfinite(percent.max)) return not_measured(measured, whole.run);
    const auto [part_name, whole_name] = names_of(part, whole);
    return Finding{.holds = percent.median <= 100.0 * share,
                   .measured = number_text(percent.median) + " % (" + number_text(percent.min) +
                               " to " + number_text(percent.max) + ") in " +
                               std::to_string(percents.size()) + " pairs: " + part_name + " " +
                               spread_text(spread_of(parts).value()) + ", " + whole_name + " " +
                               spread_text(spread_of(wholes).value()),
                   .values = {{part_name, parts}, {whole_name, wholes}}};
  };
}

Judge fact_holds(Place fact) {
  return [fact = std::move(fact)](const Measured& measured) -> Finding {
    const auto holds = measured.fact(fact.run, fact.pointer);
    if (!holds) return not_measured(measured, fact.run);
    const std::string key = key_of(fact.pointer);
    return {.holds = *holds,
            .measured = key + (*holds ? ": each time" : ": not each time"),
            .values = {{key, *holds}}};
  };
}

Judge within(Place figure, double least, double most) {
  return [figure = std::move(figure), least, most](const Measured& measured) -> Finding {
    const auto spread = measured.figure(figure.run, figure.pointer);
    if (!spread) return not_measured(measured, figure.run);
    const std::string key = key_of(figure.pointer);
    return {.holds = spread->median >= least && spread->median <= most,
            .measured = key + " " + spread_text(*spread),
            .values = {{key, to_json(spread)}}};
  };
}

Judge text_is(Place text, std::string expected) {
  return [text = std::move(text),
          expected = std::move(expected)](const Measured& measured) -> Finding {
    const Json found = measured.value(text.run, text.pointer);
    if (!found.is_string()) return not_measured(measured, text.run);
    const std::string key = key_of(text.pointer);
    return {.holds = found == expected,
            .measured = key + " " + found.get<std::string>(),
            .values = {{key, found}}};
  };
}

Judge all_of(std::vector<Judge> parts) {
  return [parts = std::move(parts)](const Measured& measured) -> Finding {
    Finding whole{.holds = true, .values = Json::array()};
    for (const Judge& part : parts) {
      const Finding finding = part(measured);
      whole.measured += (whole.measured.empty() ? "" : "; ") + finding.measured;
      whole.values.push_back(finding.values);
      if (!finding.holds || !whole.holds) {
        whole.holds.reset();
      } else {
        whole.holds = *whole.holds && *finding.holds;
      }
    }
    return whole;
  };
}

}  // namespace runahead::reproduce
