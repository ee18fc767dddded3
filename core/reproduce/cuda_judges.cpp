#include "core/reproduce/cuda_judges.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

constexpr double kElementBytes = 4.0;  // float32.

/// Names the first run of the chart that is missing or did not end ok.
Finding unmeasured(const Measured& measured, const CudaChart& chart) {
  const std::vector<std::string> runs = chart.runs();
  for (const std::string& run : runs) {
    if (measured.values(run, "/status").empty()) return not_measured(measured, run);
  }
  return not_measured(measured, runs.front());
}

}  // namespace

double CudaFigures::median(const std::string& policy, const std::string& pointer) const {
  const auto spread = measured_.figure(chart_.run(policy), pointer);
  return spread ? spread->median : Bounded().value;
}

double CudaFigures::highest(const std::string& policy, const std::string& pointer) const {
  const auto spread = measured_.figure(chart_.run(policy), pointer);
  return spread ? spread->max : Bounded().value;
}

double CudaFigures::batch_bytes() const {
  const auto size = [this](const char* key) {
    return median("none", std::string("/config/data/") + key);
  };
  return size("batch_size") * (size("features") + size("targets/width")) * kElementBytes;
}

double CudaFigures::excess(const std::string& pointer) const {
  return median("none", pointer) - median("every_batch", pointer);
}

double CudaFigures::admitted_bytes(const std::string& policy) const {
  if (policy == "budget") return median(policy, "/config/sync/bytes");
  return median(policy, "/config/sync/batches") * batch_bytes();
}

Judge in_bounds(const CudaChart& chart, double least_in_flight, BoundOf bound) {
  return [chart, least_in_flight, bound = std::move(bound)](const Measured& measured) -> Finding {
    const CudaFigures figures(measured, chart);
    const Bounded found = bound(figures);
    const double batches = least_in_flight > 0.0 ? figures.more_in_flight() : 0.0;
    if (std::isnan(found.value + found.least) || std::isnan(found.most + batches)) {
      return unmeasured(measured, chart);
    }
    Finding finding = judged({.value = found.value,
                              .limit = between(found.least, found.most),
                              .text = format_size,
                              .values = {{"bytes", found.value}, {"most", found.most}}});
    if (least_in_flight > 0.0) {
      const Finding more = judged(
          {.value = batches, .limit = at_least(least_in_flight), .of = " more batches in flight"});
      finding.holds = *finding.holds && *more.holds;
      finding.measured += "; " + more.measured;
      finding.values["more_in_flight"] = batches;
    }
    return finding;
  };
}

Judge losses_are_equal(const CudaChart& chart) {
  return [chart](const Measured& measured) -> Finding {
    std::set<std::pair<double, double>> losses;
    for (const std::string& run : chart.runs()) {
      const auto first = measured.figures(run, "/loss/first");
      const auto last = measured.figures(run, "/loss/last");
      if (first.empty() || last.size() != first.size()) return unmeasured(measured, chart);
      for (std::size_t i = 0; i < first.size(); ++i) losses.emplace(first[i], last[i]);
    }
    std::string text;  // With all digits, so that different losses do not look equal.
    for (const auto& [first, last] : losses) {
      text +=
          (text.empty() ? "loss from " : ", from ") + dump_json(first) + " to " + dump_json(last);
    }
    return {.holds = losses.size() == 1, .measured = text, .values = losses};
  };
}

Judge batches_queue(const CudaChart& chart, double most) {
  if (chart.sweep != "outputs") {
    const std::string run = chart.run("every_batch");
    return share_of_pairs({run, "/time/t1_seconds"}, at_most(most), {run, "/time/t2_seconds"});
  }
  return [chart, most](const Measured& measured) -> Finding {
    const std::string run = chart.run("none");
    const std::vector<double> issue = measured.figures(run, "/time/issue_seconds");
    const std::vector<double> issued = measured.figures(run, "/results/batches_issued");
    // Of the first batches only, if there are many.
    const std::vector<Json> finished = measured.values(run, "/time/batch_finished_seconds");
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min({issue.size(), issued.size(), finished.size()}); ++i) {
      const auto seconds = finished[i].get<std::vector<double>>();
      if (seconds.size() < 2) return unmeasured(measured, chart);
      const auto finishes = static_cast<double>(seconds.size());
      const double t2 = (seconds.back() - seconds.front()) / (finishes - 1.0);
      ratios.push_back(issue[i] / issued[i] / t2);
    }
    const auto ratio = spread_of(ratios);
    if (!ratio) return unmeasured(measured, chart);
    return judged({.what = "t1 is",
                   .value = ratio->median,
                   .limit = at_most(most),
                   .text = percent_text,
                   .of = " of t2",
                   .values = {{"t1_over_t2", ratios}}});
  };
}

}  // namespace runahead::reproduce
