#include <gmock/gmock.h>

#include <thread>

#include "apps/runahead/bench_figures.h"
#include "apps/runahead/bench_rounds.h"
#include "apps/runahead/benchmarks.h"
#include "apps/runahead/monitor_workload.h"

namespace runahead::apps {
namespace {

using ::testing::ElementsAre;

/// A case that measures these values of "seconds", one a call; nullopt: it fails.
class Script {
 public:
  explicit Script(std::vector<std::optional<double>> values) : values_(std::move(values)) {}

  BenchCase as_case() {
    return {[this]() -> std::optional<Measurement> {
      const auto value = values_.at(calls++);
      if (!value) return std::nullopt;
      return Measurement{.figures = {{"seconds", *value}}, .had_the_cpu = *value < 100.0};
    }};
  }

  std::size_t calls = 0;

 private:
  std::vector<std::optional<double>> values_;
};

TEST(BenchRounds, TakesMediansAndRatiosWithinRounds) {
  Script numerator({10.0, 40.0, 90.0, 1.0});
  Script denominator({1.0, 2.0, 3.0, 0.0});
  const BenchOptions options{.repeats = 4};
  BenchRounds rounds("test", {numerator.as_case(), denominator.as_case()}, options);
  rounds.run();

  const auto spread = rounds.figure(0, "seconds");
  EXPECT_EQ(spread->median, 25.0);
  EXPECT_EQ(spread->min, 1.0);
  EXPECT_EQ(spread->max, 90.0);
  EXPECT_EQ(rounds.figure(0, "metres"), std::nullopt);
  EXPECT_THAT(rounds.ratios(0, "seconds", 1, "seconds"), ElementsAre(10.0, 20.0, 30.0))
      << "none over 0";
  EXPECT_EQ(rounds.ratio(0, "seconds", 1, "seconds")->median, 20.0);
}

TEST(BenchRounds, MeasuresTheCasesInTurnEverySecondRoundBackwards) {
  std::vector<int> order;
  const auto case_of = [&order](int number) {
    return BenchCase{[&order, number] {
      order.push_back(number);
      return Measurement{};
    }};
  };
  const BenchOptions options{.repeats = 3};
  BenchRounds rounds("test", {case_of(1), case_of(2)}, options);
  rounds.run();

  EXPECT_THAT(order, ElementsAre(1, 2, 2, 1, 1, 2));
}

TEST(BenchRounds, RepeatsRoundsWithoutTheCpuAtMostAsOftenAsRoundsCount) {
  Script disturbed({100.0, 1.0});
  const BenchOptions once{.repeats = 1};
  BenchRounds round("test", {disturbed.as_case()}, once);
  round.run();
  EXPECT_EQ(round.figure(0, "seconds")->max, 1.0);

  Script script({100.0, 100.0, 100.0, 100.0});
  int disturbed_rounds = 0;
  const BenchOptions options{.repeats = 2, .on_disturbed = [&] { ++disturbed_rounds; }};
  BenchRounds rounds("test", {script.as_case()}, options);
  rounds.run();

  EXPECT_EQ(script.calls, 4U);
  EXPECT_EQ(disturbed_rounds, 2);
  EXPECT_EQ(rounds.figure(0, "seconds")->count, 2U);
}

TEST(BenchRounds, DoesNotMeasureAgainWhatFailed) {
  Script failing({std::nullopt});
  Script working({1.0, 2.0});
  const BenchOptions options{.repeats = 2};
  BenchRounds rounds("test", {failing.as_case(), working.as_case()}, options);
  rounds.run();

  EXPECT_EQ(rounds.figure(0, "seconds"), std::nullopt);
  EXPECT_EQ(rounds.ratio(1, "seconds", 0, "seconds"), std::nullopt);
  EXPECT_EQ(rounds.figure(1, "seconds")->count, 2U);
}

TEST(BenchFigures, AreNullWhereNothingWasMeasuredAndHaveTheirRangeElsewhere) {
  Json object;
  add_spread(object, "metres", std::nullopt);
  EXPECT_EQ(object, (Json{{"metres", nullptr}, {"metres_min", nullptr}, {"metres_max", nullptr}}));
  EXPECT_EQ(spread_text(object, "metres", "%.1f"), "-");
  EXPECT_EQ(spread_text(object, "litres", "%.1f"), "-");
  add_spread(object, "seconds", Spread{.median = 2.0, .min = 1.0, .max = 3.25, .count = 3});
  EXPECT_EQ(spread_text(object, "seconds", "%.1f"), "2.0 (1.0 to 3.2)");
}

TEST(BenchEngine, MeasuresEveryShapeEngineAndBody) {
  Json figures;
  std::thread([&figures] {  // Which is pinned.
    figures = bench_engine({.empty_operations = 50, .busy_operations = 5}, {.repeats = 2});
  })
      .join();

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

const MonitorBenchSizes kSmall{.work_seconds = 0.01, .peak_bytes = 2'000'000, .least_rounds = 3};

TEST(BenchMonitor, MeasuresCostsAndPeaks) {
  const Json figures = bench_monitor(kSmall, {.repeats = 2});

  for (const char* key : {"cpu_share_1000hz", "cpu_share_10000hz", "slowdown_1000hz"}) {
    EXPECT_GT(figures.at(key).get<double>(), 0.0) << key;
    EXPECT_LE(figures.at(std::string(key) + "_min"), figures.at(std::string(key) + "_max"));
  }
  EXPECT_GE(figures.at("missed_share").get<double>(), 0.0);
  EXPECT_EQ(figures.at("slowdown_1000hz_pairs"), 3);
  EXPECT_EQ(figures.at("cost_repeats"), 3);
  for (const char* shape : {"ramp", "plateau_5ms", "sawtooth"}) {
    EXPECT_TRUE(figures.at("peaks").at(shape).contains("peak_error")) << shape;
  }
  EXPECT_EQ(MonitorWorkload(0.001).measure(0.0).cpu_share, 0.0) << "no thread samples at rate 0";
}

TEST(MonitorWorkload, CountsAPeakThatIsThere) {
  const MonitorWorkload workload(0.001);
  const auto peak = workload.sample(MemoryShape::kSawtooth, 30'000'000);
  if (!peak) GTEST_SKIP() << "/proc/self/clear_refs may not be written here";

  EXPECT_GE(peak->counted_bytes, 30'000'000U);
  EXPECT_GT(peak->sampled_bytes, 0U);
}

}  // namespace
}  // namespace runahead::apps
