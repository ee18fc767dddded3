#include "apps/runahead/benchmarks.h"

#include <algorithm>
#include <array>

#include "apps/runahead/bench_figures.h"
#include "core/base/affinity.h"
#include "core/base/cpu_topology.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

constexpr double kBodySeconds = 10e-6;
constexpr const char* kPush = "push_ns";
constexpr const char* kRate = "operations_per_second";
constexpr const char* kRateOverOneWorker = "operations_per_second_over_workers_1";
constexpr std::size_t kOneWorker = 1;  ///< Index into kEngines.

struct Shape {
  const char* name;
  EngineShape shape;
};
constexpr std::array<Shape, 3> kShapes{{{"independent", EngineShape::kIndependent},
                                        {"chain", EngineShape::kChain},
                                        {"random_dag", EngineShape::kRandomDag}}};

struct EngineKind {
  const char* name;
  int workers;
};
constexpr std::array<EngineKind, 4> kEngines{
    {{"naive", 0}, {"workers_1", 1}, {"workers_2", 2}, {"workers_4", 4}}};

struct Body {
  const char* name;
  double seconds;
};
constexpr std::array<Body, 2> kBodies{{{"empty", 0.0}, {"busy_10us", kBodySeconds}}};

constexpr const char* kLegend =
    R"(push   time of the call that queues an operation; `naive` executes it there and then
rate   operations executed per second; the last column compares it with one worker
empty  operations that do nothing; `busy_10us` keeps a CPU busy for 10 µs
Medians, with minimum and maximum in brackets.

)";

/// The number of CPUs that are busy all the time if nothing else uses them: one, or as many as
/// there are workers if bodies take long and do not wait for each other.
double least_busy_cpus(const EngineWorkload& workload, std::size_t cpus) {
  const bool is_parallel = workload.shape == EngineShape::kIndependent &&
                           workload.body_seconds > 0.0 && workload.workers > 1;
  return is_parallel ? std::min(static_cast<double>(workload.workers), static_cast<double>(cpus))
                     : 1.0;
}

std::vector<BenchCase> make_cases(EngineShape shape, const Body& body,
                                  const EngineWorkloadSizes& sizes,
                                  const std::vector<int>& worker_cpus) {
  std::vector<BenchCase> cases;
  for (const EngineKind& kind : kEngines) {
    const EngineWorkload workload{
        .shape = shape,
        .workers = kind.workers,
        .operations = body.seconds > 0.0 ? sizes.busy_operations : sizes.empty_operations,
        .body_seconds = body.seconds};
    cases.push_back([workload, &worker_cpus]() -> std::optional<Measurement> {
      const EngineFigures figures = workload.measure(worker_cpus);
      return Measurement{
          .figures = {{kPush, figures.push_ns}, {kRate, figures.operations_per_second}},
          .had_the_cpu = figures.cpu_share >=
                         sweep::kLeastCpuShare * least_busy_cpus(workload, worker_cpus.size())};
    });
  }
  return cases;
}

}  // namespace

Json bench_engine(const EngineWorkloadSizes& sizes, const BenchOptions& options) {
  // Those of the workers; the front end's is last, as it waits while bodies run.
  std::vector<int> cpus = order_for_threads(allowed_cpus());
  std::rotate(cpus.begin(), cpus.begin() + 1, cpus.end());
  pin_calling_thread(cpus.back());
  Json result = Json::object();
  for (const Shape& shape : kShapes) {
    for (const Body& body : kBodies) {
      BenchRounds rounds(std::string(shape.name) + ", " + body.name,
                         make_cases(shape.shape, body, sizes, cpus), options);
      rounds.run();
      for (std::size_t index = 0; index < kEngines.size(); ++index) {
        Json& figures = result[shape.name][kEngines[index].name][body.name];
        add_spread(figures, kPush, rounds.figure(index, kPush));
        add_spread(figures, kRate, rounds.figure(index, kRate));
        add_spread(figures, kRateOverOneWorker, rounds.ratio(index, kRate, kOneWorker, kRate));
      }
    }
  }
  return result;
}

std::string engine_bench_table(const Json& figures) {
  report::Table table{.headings = {"graph", "engine", "operation", "push, ns",
                                   "million operations/s", "rate / 1 worker"},
                      .text_columns = 3};
  for (const Shape& shape : kShapes) {
    for (const Body& body : kBodies) {
      for (const EngineKind& kind : kEngines) {
        const Json& one = figures[shape.name][kind.name][body.name];
        table.add_row({shape.name, kind.name, body.name, three_digit_spread(one, kPush),
                       three_digit_spread(one, kRate, 1e-6),
                       spread_text(one, kRateOverOneWorker, "%.2f")});
      }
    }
  }
  return kLegend + to_text(table);
}

}  // namespace runahead::apps
