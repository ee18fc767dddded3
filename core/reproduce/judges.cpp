#include "core/reproduce/judges.h"

#include <cmath>
#include <utility>

#include "core/base/number_text.h"

namespace runahead::reproduce {
namespace {

/// "copy_seconds" for "/results/dispatch/copy_seconds".
std::string key_of(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

/// The names of two figures in one sentence, with their runs if these differ.
std::pair<std::string, std::string> words_of_both(const Place& one, const Place& other) {
  if (one.run == other.run) return {words_of(one.pointer), words_of(other.pointer)};
  return {one.run + ", " + words_of(one.pointer), other.run + ", " + words_of(other.pointer)};
}

/// The keys of two figures in `values`.
std::pair<std::string, std::string> keys_of(const Place& one, const Place& other) {
  if (one.run == other.run) return {key_of(one.pointer), key_of(other.pointer)};
  return {one.run + " " + key_of(one.pointer), other.run + " " + key_of(other.pointer)};
}

/// Judges the ratio of the `chosen` values of two spreads.
Judge compares(Place part, Limit share, Place whole, double Spread::*chosen, std::string note) {
  return [part = std::move(part), share, whole = std::move(whole), chosen,
          note = std::move(note)](const Measured& measured) -> Finding {
    const auto small = measured.figure(part.run, part.pointer);
    const auto large = measured.figure(whole.run, whole.pointer);
    if (!small) return not_measured(measured, part.run);
    if (!large) return not_measured(measured, whole.run);
    const double small_value = (*small).*chosen;
    const double large_value = (*large).*chosen;
    const double ratio = small_value / large_value;
    if (!std::isfinite(ratio)) return not_measured(measured, whole.run);
    const auto [small_words, large_words] = words_of_both(part, whole);
    const auto [small_key, large_key] = keys_of(part, whole);
    return judged({.what = small_words + " is",
                   .value = ratio,
                   .limit = share,
                   .text = percent_text,
                   .of = " of " + large_words,
                   .from = quantity_text(small_key, small_value) + " of " +
                           quantity_text(large_key, large_value) + note,
                   .values = {{small_key, to_json(small)}, {large_key, to_json(large)}}});
  };
}

}  // namespace

Finding not_measured(const Measured& measured, const std::string& run) {
  return {.measured = "not measured: " + measured.reason(run)};
}

Judge share_of_medians(Place part, Limit share, Place whole) {
  return compares(std::move(part), share, std::move(whole), &Spread::median, "");
}

Judge share_of_least(Place part, Limit share, Place whole) {
  return compares(std::move(part), share, std::move(whole), &Spread::min, " (least times)");
}

Judge share_of_pairs(Place part, Limit share, Place whole) {
  return [part = std::move(part), share, whole = std::move(whole)](const Measured& measured) {
    const std::vector<double> parts = measured.figures(part.run, part.pointer);
    const std::vector<double> wholes = measured.figures(whole.run, whole.pointer);
    if (parts.empty()) return not_measured(measured, part.run);
    if (wholes.size() != parts.size()) return not_measured(measured, whole.run);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < parts.size(); ++i) ratios.push_back(parts[i] / wholes[i]);
    const Spread ratio = spread_of(ratios).value();
    if (!std::isfinite(ratio.max)) return not_measured(measured, whole.run);
    const auto [part_words, whole_words] = words_of_both(part, whole);
    const auto [part_key, whole_key] = keys_of(part, whole);
    return judged({.what = part_words + " is",
                   .value = ratio.median,
                   .limit = share,
                   .text = percent_text,
                   .of = " of " + whole_words,
                   .from = "the median of " + std::to_string(ratios.size()) + " pairs, from " +
                           percent_text(ratio.min) + " to " + percent_text(ratio.max),
                   .values = {{part_key, parts}, {whole_key, wholes}}});
  };
}

Judge fact_holds(Place fact) {
  return [fact = std::move(fact)](const Measured& measured) -> Finding {
    const auto holds = measured.fact(fact.run, fact.pointer);
    if (!holds) return not_measured(measured, fact.run);
    const std::string key = key_of(fact.pointer);
    return {.holds = *holds,
            .measured = words_of(key) + (*holds ? ": each time" : ": not each time"),
            .values = {{key, *holds}}};
  };
}

Judge median_is(Place figure, Limit limit) {
  return [figure = std::move(figure), limit](const Measured& measured) -> Finding {
    const auto spread = measured.figure(figure.run, figure.pointer);
    if (!spread) return not_measured(measured, figure.run);
    const std::string key = key_of(figure.pointer);
    return judged({.what = words_of(key) + " is",
                   .value = spread->median,
                   .limit = limit,
                   .values = {{key, to_json(spread)}}});
  };
}

Judge text_is(Place text, std::string expected) {
  return [text = std::move(text),
          expected = std::move(expected)](const Measured& measured) -> Finding {
    const Json found = measured.value(text.run, text.pointer);
    if (!found.is_string()) return not_measured(measured, text.run);
    const std::string key = key_of(text.pointer);
    return {.holds = found == expected,
            .measured =
                words_of(key) + " is " + found.get<std::string>() + " (expected: " + expected + ")",
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
