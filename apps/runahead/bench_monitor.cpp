#include "apps/runahead/benchmarks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/runahead/bench_figures.h"
#include "apps/runahead/monitor_workload.h"
#include "core/base/statistics.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

constexpr const char* kSeconds = "work_seconds";
constexpr const char* kCpuShare = "cpu_share";
constexpr const char* kMissed = "missed_share";
constexpr const char* kSlowdown = "slowdown_1000hz";
constexpr const char* kError = "peak_error";
constexpr const char* kErrorBytes = "peak_error_bytes";

enum Case : std::size_t { kWithout, k1000Hz, k10000Hz, kCases };
constexpr std::array<double, kCases> kRatesHz{0.0, 1000.0, 10'000.0};

struct Shape {
  const char* name;
  const char* label;
  MemoryShape shape;
};
constexpr std::array<Shape, 3> kShapes{{{"ramp", "ramp", MemoryShape::kRamp},
                                        {"plateau_5ms", "plateau of 5 ms", MemoryShape::kPlateau},
                                        {"sawtooth", "sawtooth", MemoryShape::kSawtooth}}};

BenchCase cost_case(const MonitorWorkload& workload, double rate_hz) {
  return [&workload, rate_hz]() -> std::optional<Measurement> {
    const MonitorCost cost = workload.measure(rate_hz);
    return Measurement{.figures = {{kSeconds, cost.work_seconds},
                                   {kCpuShare, cost.cpu_share},
                                   {kMissed, cost.missed_share}},
                       .had_the_cpu = cost.busy_share >= sweep::kLeastCpuShare};
  };
}

BenchCase peak_case(const MonitorWorkload& workload, MemoryShape shape, std::uint64_t bytes) {
  return [&workload, shape, bytes]() -> std::optional<Measurement> {
    const std::optional<SampledPeak> peak = workload.sample(shape, bytes);
    if (!peak) return std::nullopt;
    const double counted = static_cast<double>(peak->counted_bytes);
    const double error = std::abs(counted - static_cast<double>(peak->sampled_bytes));
    return Measurement{.figures = {{kError, error / counted}, {kErrorBytes, error}}};
  };
}

void add_costs(const MonitorWorkload& workload, const MonitorBenchSizes& sizes,
               const BenchOptions& options, Json& figures) {
  BenchOptions paired = options;
  paired.repeats = std::max(options.repeats, sizes.least_rounds);
  std::vector<BenchCase> cases;
  for (const double rate_hz : kRatesHz) cases.push_back(cost_case(workload, rate_hz));
  BenchRounds rounds("every CPU busy", std::move(cases), paired);
  rounds.run();

  add_spread(figures, "cpu_share_1000hz", rounds.figure(k1000Hz, kCpuShare));
  add_spread(figures, "cpu_share_10000hz", rounds.figure(k10000Hz, kCpuShare));
  add_spread(figures, kMissed, rounds.figure(k1000Hz, kMissed));
  const std::vector<double> slowdowns = rounds.ratios(k1000Hz, kSeconds, kWithout, kSeconds);
  add_spread(figures, kSlowdown, spread_of(slowdowns));
  figures[kSlowdown] = geometric_mean(slowdowns);
  figures[std::string(kSlowdown) + "_pairs"] = slowdowns.size();
  figures["cost_repeats"] = paired.repeats;
}

void add_peaks(const MonitorWorkload& workload, const MonitorBenchSizes& sizes,
               const BenchOptions& options, Json& figures) {
  std::vector<BenchCase> cases;
  for (const Shape& shape : kShapes) {
    cases.push_back(peak_case(workload, shape.shape, sizes.peak_bytes));
  }
  BenchRounds rounds("peaks", std::move(cases), options);
  rounds.run();

  for (const char* key : {kError, kErrorBytes}) {
    std::optional<Spread> worst;
    for (std::size_t index = 0; index < kShapes.size(); ++index) {
      const auto spread = rounds.figure(index, key);
      add_spread(figures["peaks"][kShapes[index].name], key, spread);
      if (spread && (!worst || spread->median > worst->median)) worst = spread;
    }
    add_spread(figures, key, worst);
  }
}

std::string percent_text(const Json& figures, const char* key) {
  return three_digit_spread(figures, key, 100.0, " %");
}

}  // namespace

Json bench_monitor(const MonitorBenchSizes& sizes, const BenchOptions& options) {
  const MonitorWorkload workload(sizes.work_seconds);
  Json figures = Json::object();
  add_costs(workload, sizes, options, figures);
  add_peaks(workload, sizes, options, figures);
  return figures;
}

std::string monitor_bench_table(const Json& figures) {
  report::Table table{.headings = {"with every CPU busy", "median (minimum to maximum)"}};
  table.add_row({"CPU time of the monitor at 1 kHz, as a share of one CPU",
                 percent_text(figures, "cpu_share_1000hz")});
  table.add_row({"CPU time of the monitor at 10 kHz, as a share of one CPU",
                 percent_text(figures, "cpu_share_10000hz")});
  table.add_row(
      {"run time at 1 kHz / without it, geometric mean", spread_text(figures, kSlowdown, "%.3f")});
  table.add_row({"samples missed at 1 kHz", percent_text(figures, kMissed)});
  for (const Shape& shape : kShapes) {
    table.add_row({std::string("error of the measured peak: ") + shape.label,
                   percent_text(figures["peaks"][shape.name], kError)});
  }
  return to_text(table);
}

}  // namespace runahead::apps
