#include "apps/runahead/bench_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "apps/runahead/bench_figures.h"
#include "support/golden.h"

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

TEST(BenchEngine, ShowsEveryShapeInItsTable) {
  Json figures;
  for (const char* shape : {"independent", "chain", "random_dag"}) {
    for (const char* engine : {"naive", "workers_1", "workers_2", "workers_4"}) {
      for (const char* body : {"empty", "busy_10us"}) {
        Json& entry = figures[shape][engine][body];
        add_spread(entry, "push_ns", Spread{.median = 210.0, .min = 200.0, .max = 250.0});
        add_spread(entry, "operations_per_second", Spread{.median = 2e6, .min = 1e6, .max = 3e6});
        add_spread(entry, "operations_per_second_over_workers_1",
                   Spread{.median = 1.0, .min = 0.9, .max = 1.1});
      }
    }
  }
  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/bench_engine.txt", engine_bench_table(figures));
}

}  // namespace
}  // namespace runahead::apps
