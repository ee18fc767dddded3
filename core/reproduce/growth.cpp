#include "core/reproduce/growth.h"

#include <functional>
#include <optional>
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

std::string size_text(const Spread& spread) {
  return format_size(spread.median) + " (" + format_size(spread.min) + " to " +
         format_size(spread.max) + ")";
}

double input_bytes_of(const Measured& measured, const std::string& run) {
  return measured.value(run, "/config/data/batch_size").get<double>() *
         measured.value(run, "/config/data/features").get<double>() * sizeof(float);
}

Judge judges_growth(RunPair runs, std::function<bool(double inputs_a_batch)> holds) {
  return [runs = std::move(runs), holds = std::move(holds)](const Measured& measured) -> Finding {
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
    return {.holds = holds(inputs_a_batch),
            .measured = number_text(inputs_a_batch) + " batches' inputs a batch: " + what + " " +
                        size_text(*few) + " at " + number_text(few_batches) + " batches, " +
                        size_text(*many) + " at " + number_text(many_batches),
            .values = {{"inputs_a_batch", inputs_a_batch},
                       {"counted", place == kCountedPeak},
                       {"peak_bytes", {to_json(few), to_json(many)}},
                       {"batches", {few_batches, many_batches}},
                       {"rss_growth_bytes",
                        {to_json(measured.figure(runs.shorter, kSampled)),
                         to_json(measured.figure(runs.longer, kSampled))}}}};
  };
}

}  // namespace

Judge peak_grows(RunPair runs) {
  return judges_growth(std::move(runs),
                       [](double inputs_a_batch) { return inputs_a_batch >= kLeastToGrow; });
}

Judge peak_is_constant(RunPair runs) {
  return judges_growth(std::move(runs),
                       [](double inputs_a_batch) { return inputs_a_batch <= kMostToBeConstant; });
}

Judge growth_is_left_in_the_end(std::string run) {
  return [run = std::move(run)](const Measured& measured) -> Finding {
    const auto before = measured.figure(run, "/memory/rss_baseline_bytes");
    const auto growth = measured.figure(run, kSampled);
    const auto after = measured.figure(run, "/memory/rss_end_bytes");
    if (!before || !growth || !after) return not_measured(measured, run);
    if (growth->median < kLeastGrowthBytes) {
      return {.measured = "not measured: nothing had grown at the peak, " + size_text(*growth)};
    }
    const double share = (after->median - before->median) / growth->median;
    return {.holds = share >= kShareThatIsLeft,
            .measured = number_text(100.0 * share) + " % of " + size_text(*growth) +
                        " are left: RSS before " + size_text(*before) + ", after " +
                        size_text(*after),
            .values = {{"rss_baseline_bytes", to_json(before)},
                       {"rss_growth_bytes", to_json(growth)},
                       {"rss_end_bytes", to_json(after)}}};
  };
}

}  // namespace runahead::reproduce
