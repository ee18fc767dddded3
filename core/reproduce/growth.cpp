#include "core/reproduce/growth.h"

#include <utility>

#include "core/base/bytes.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

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
