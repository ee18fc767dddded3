#include "apps/runahead/benchmarks.h"

#include <array>

#include "apps/runahead/bench_figures.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

constexpr std::size_t kCpu = 0;
constexpr std::size_t kAcpu = 1;

constexpr const char* kPlusOne = "plus_one";  ///< Its keys are at the top level of the result.
constexpr const char* kMlpStep = "mlp_step";
constexpr const char* kRoundTrip = "cpu_round_trip_ns";
constexpr std::array<const char*, 4> kNestedWorkloads{"chained", "inplace", "matmul64", kMlpStep};
constexpr std::array<const char*, 3> kStepParts{"forward_", "backward_", "optimizer_"};

/// The figures of one process in the form of BenchRounds ("workload.figure"), plus the cost of
/// issuing one operation of a part.
Measurement to_measurement(const Json& process) {
  Measurement measurement;
  measurement.had_the_cpu = process.at("cpu_share").get<double>() >= sweep::kLeastCpuShare;
  for (const auto& [workload, figures] : process.at("figures").items()) {
    for (const auto& [key, value] : figures.items()) {
      measurement.figures[workload + "." + key] = value.get<double>();
    }
  }
  if (const Json& round_trip = process.at(kRoundTrip); !round_trip.is_null()) {
    measurement.figures[kRoundTrip] = round_trip.get<double>();
  }
  for (const std::string part : kStepParts) {
    const auto issue = measurement.figures.find(kMlpStep + ("." + part + "issue_us"));
    const auto count = measurement.figures.find(kMlpStep + ("." + part + "operations"));
    if (issue == measurement.figures.end() || count == measurement.figures.end()) continue;
    measurement.figures[kMlpStep + ("." + part + "issue_us_per_operation")] =
        issue->second / count->second;
  }
  return measurement;
}

/// The figures of one workload under their public keys.
class WorkloadFigures {
 public:
  WorkloadFigures(const BenchRounds& rounds, std::string workload, Json& object)
      : rounds_(rounds), workload_(std::move(workload)), object_(object) {}

  /// @param part  "" for the whole workload.
  void add_issuing(const std::string& part) {
    add(part + "cpu_us_per_op", kCpu, part + "issue_us");
    add(part + "acpu_issue_us_per_op", kAcpu, part + "issue_us");
    add_over_cpu(part + "issue_over_cpu", part + "issue_us");
  }

  void add_executing() {
    add("acpu_total_us_per_op", kAcpu, "total_us");
    add("acpu_waited_us_per_op", kAcpu, "waited_us");
    add_over_cpu("total_over_cpu", "total_us");
    add_over_cpu("waited_over_cpu", "waited_us");
  }

  void add_part(const std::string& part) {
    add_issuing(part);
    add(part + "acpu_issue_us_per_operation", kAcpu, part + "issue_us_per_operation");
    const auto operations = rounds_.figure(kAcpu, path_of(part + "operations"));
    object_[part + "operations"] = operations ? Json(operations->median) : Json(nullptr);
  }

  void add(const std::string& key, std::size_t device, const std::string& figure) {
    add_spread(object_, key, rounds_.figure(device, path_of(figure)));
  }

 private:
  [[nodiscard]] std::string path_of(const std::string& figure) const {
    return workload_ + "." + figure;
  }

  /// On `cpu`, issuing an operation executes it.
  void add_over_cpu(const std::string& key, const std::string& figure) {
    const std::string base = figure.ends_with("issue_us") ? figure : "issue_us";
    add_spread(object_, key, rounds_.ratio(kAcpu, path_of(figure), kCpu, path_of(base)));
  }

  const BenchRounds& rounds_;
  std::string workload_;
  Json& object_;
};

Json workload_figures(const BenchRounds& rounds, const std::string& workload) {
  Json object = Json::object();
  WorkloadFigures figures(rounds, workload, object);
  figures.add_issuing("");
  figures.add_executing();
  if (workload != kMlpStep) return object;
  for (const char* part : kStepParts) figures.add_part(part);
  figures.add("hop_us", kAcpu, "hop_us");
  return object;
}

void add_row(report::Table& table, const std::string& name, const Json& figures,
             const std::string& part) {
  const auto ratio = [&](const std::string& key) {
    return spread_text(figures, part + key, "%.2f");
  };
  table.add_row({name, three_digit_spread(figures, part + "cpu_us_per_op"),
                 three_digit_spread(figures, part + "acpu_issue_us_per_op"),
                 ratio("issue_over_cpu"), ratio("total_over_cpu"), ratio("waited_over_cpu")});
}

constexpr const char* kLegend =
    R"(Time of one operation: the call on cpu, the issue on acpu (issue), and issue plus execution
on acpu (total).
  chained   y = y + 1, on the result of the one before
  inplace   y += 1
  matmul64  a product of two 64 x 64 matrices
  mlp_step  a training step of a small MLP
Medians, with minimum and maximum in brackets.

)";

}  // namespace

Json bench_dispatch(const DispatchProcess& measure, const BenchOptions& options) {
  const auto case_of = [&measure](const char* device) {
    return [&measure, device] { return to_measurement(measure(device)); };
  };
  BenchRounds rounds("dispatch", {case_of("cpu"), case_of("acpu")}, options);
  rounds.run();

  Json figures = workload_figures(rounds, kPlusOne);
  for (const char* workload : kNestedWorkloads) {
    figures[workload] = workload_figures(rounds, workload);
  }
  add_spread(figures, kRoundTrip, rounds.figure(kAcpu, kRoundTrip));
  return figures;
}

std::string dispatch_bench_table(const Json& figures) {
  report::Table table{.headings = {"operation", "cpu, µs", "acpu issue, µs", "issue / cpu",
                                   "total / cpu", "total / cpu, waiting each time"}};
  add_row(table, "y = x + 1", figures, "");
  for (const char* workload : kNestedWorkloads) add_row(table, workload, figures[workload], "");
  for (const std::string part : kStepParts) {
    add_row(table, "  " + part.substr(0, part.size() - 1), figures[kMlpStep], part);
  }
  std::string text = kLegend + to_text(table) + "A backward pass spends " +
                     three_digit_spread(figures[kMlpStep], "hop_us") +
                     " µs more on acpu before it issues anything.\n";
  if (!figures[kRoundTrip].is_null()) {
    text += "Data written by the front end takes " + three_digit_spread(figures, kRoundTrip) +
            " ns to the worker's CPU and back. The longer it takes, the more issuing costs.\n";
  }
  return text;
}

}  // namespace runahead::apps
