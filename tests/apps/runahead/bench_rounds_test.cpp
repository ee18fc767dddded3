#include "apps/runahead/bench_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/runahead/bench_figures.h"

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
  const BenchOptions options{.repeats = 2};
  BenchRounds rounds("test", {script.as_case()}, options);
  rounds.run();

  EXPECT_EQ(script.calls, 4U);
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

}  // namespace
}  // namespace runahead::apps
