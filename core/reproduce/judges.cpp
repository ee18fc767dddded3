#include "core/reproduce/judges.h"

#include <cmath>
#include <utility>

#include "core/base/bytes.h"
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

constexpr double kLeastToGrow = 0.5;
constexpr double kMostToBeConstant = 0.1;
constexpr double kShareThatIsLeft = 0.5;
constexpr double kLeastGrowthBytes = 1e6;
constexpr const char* kCountedPeak = "/results/occupied_peak_bytes";
constexpr const char* kSampled = "/memory/rss_growth_bytes";

double input_bytes_of(const Measured& measured, const std::string& run) {
  return measured.value(run, "/config/data/batch_size").get<double>() *
         measured.value(run, "/config/data/features").get<double>() * sizeof(float);
}

Judge judges_growth(RunPair runs, Limit limit) {
  return [runs = std::move(runs), limit](const Measured& measured) -> Finding {
    const char* place = measured.figure(runs.shorter, kCountedPeak) ? kCountedPeak : kSampled;
    const auto few = measured.figure(runs.shorter, place);
    const auto many = measured.figure(runs.longer, place);
    if (!few) return not_measured(measured, runs.shorter);
    if (!many) return not_measured(measured, runs.longer);
    const auto few_batches = measured.value(runs.shorter, "/config/batches").get<double>();
    const auto many_batches = measured.value(runs.longer, "/config/batches").get<double>();
    const double bytes_a_batch = (many->median - few->median) / (many_batches - few_batches);
    const double inputs_a_batch = bytes_a_batch / input_bytes_of(measured, runs.shorter);
    const std::string what = place == kCountedPeak ? "live bytes and queued inputs" : "RSS growth";
    return judged({.what = "each further batch raises the peak by",
                   .value = inputs_a_batch,
                   .limit = limit,
                   .of = " of its inputs",
                   .from = what + " " + format_size(few->median) + " with " +
                           number_text(few_batches) + " batches, " + format_size(many->median) +
                           " with " + number_text(many_batches),
                   .values = {{"inputs_a_batch", inputs_a_batch},
                              {"counted", place == kCountedPeak},
                              {"peak_bytes", {to_json(few), to_json(many)}},
                              {"batches", {few_batches, many_batches}},
                              {"rss_growth_bytes",
                               {to_json(measured.figure(runs.shorter, kSampled)),
                                to_json(measured.figure(runs.longer, kSampled))}}}});
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
    std::string last;
    for (const Judge& part : parts) {
      const Finding finding = part(measured);
      if (finding.holds || finding.measured != last) {  // Parts lack it for the same reason.
        whole.measured += (whole.measured.empty() ? "" : "; ") + finding.measured;
      }
      last = finding.measured;
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

Judge peak_grows(RunPair runs) { return judges_growth(std::move(runs), at_least(kLeastToGrow)); }

Judge peak_is_constant(RunPair runs) {
  return judges_growth(std::move(runs), at_most(kMostToBeConstant));
}

Judge growth_is_left_in_the_end(std::string run) {
  return [run = std::move(run)](const Measured& measured) -> Finding {
    const auto before = measured.figure(run, "/memory/rss_baseline_bytes");
    const auto growth = measured.figure(run, kSampled);
    const auto after = measured.figure(run, "/memory/rss_end_bytes");
    if (!before || !growth || !after) return not_measured(measured, run);
    if (growth->median < kLeastGrowthBytes) {
      return {.measured = "not measured: at the peak RSS had grown by " +
                          format_size(growth->median) + " only"};
    }
    return judged({.value = (after->median - before->median) / growth->median,
                   .limit = at_least(kShareThatIsLeft),
                   .text = percent_text,
                   .of = " of the growth is left",
                   .from = "RSS " + format_size(before->median) + " before and " +
                           format_size(after->median) + " after, grown by " +
                           format_size(growth->median) + " at the peak",
                   .values = {{"rss_baseline_bytes", to_json(before)},
                              {"rss_growth_bytes", to_json(growth)},
                              {"rss_end_bytes", to_json(after)}}});
  };
}

}  // namespace runahead::reproduce
