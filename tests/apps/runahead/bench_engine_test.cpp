#include "apps/runahead/benchmarks.h"

#include <gtest/gtest.h>

#include <thread>

namespace runahead::apps {
namespace {

/// On a separate thread, because it pins its thread.
Json bench_a_few(std::int64_t repeats) {
  Json figures;
  std::thread([&] {
    figures = bench_engine({.empty_operations = 50, .busy_operations = 5}, {.repeats = repeats});
  }).join();
  return figures;
}

TEST(BenchEngine, MeasuresEveryShapeEngineAndBody) {
  const Json figures = bench_a_few(2);

  for (const char* shape : {"independent", "chain", "random_dag"}) {
    for (const char* engine : {"naive", "workers_1", "workers_2", "workers_4"}) {
      for (const char* body : {"empty", "busy_10us"}) {
        const Json& entry = figures.at(shape).at(engine).at(body);
        for (const char* key : {"push_ns", "operations_per_second"}) {
          EXPECT_GT(entry.at(key).get<double>(), 0.0) << shape << engine << body << key;
          EXPECT_LE(entry.at(std::string(key) + "_min"), entry.at(std::string(key) + "_max"));
        }
      }
    }
  }
  EXPECT_EQ(figures["chain"]["workers_1"]["empty"]["operations_per_second_over_workers_1"], 1.0);
}

TEST(EngineWorkload, HoldsBodiesUntilAllArePushed) {
  for (const EngineShape shape :
       {EngineShape::kIndependent, EngineShape::kChain, EngineShape::kRandomDag}) {
    const EngineWorkload workload{
        .shape = shape, .workers = 2, .operations = 20, .body_seconds = 1e-6};
    const EngineFigures figures = workload.measure({});

    EXPECT_GT(figures.push_ns, 0.0);
    EXPECT_LT(figures.operations_per_second, 2.0 / 1e-6);  // Two bodies at once at the most.
  }
}

}  // namespace
}  // namespace runahead::apps
