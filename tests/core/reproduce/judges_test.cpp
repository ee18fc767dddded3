#include "core/reproduce/judges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measured_fixtures.h"

namespace runahead::reproduce {
namespace {

using test::measured_of;
using test::spread;
using ::testing::AllOf;
using ::testing::HasSubstr;

const Place kPart{"run", "/results/part_seconds"};
const Place kWhole{"run", "/results/whole_seconds"};

Measured times(const Json& part, const Json& whole) {
  return measured_of("run", {{"part_seconds", part}, {"whole_seconds", whole}});
}

TEST(BelowShare, ComparesMedians) {
  const Judge judge = below_share(kPart, 0.1, kWhole);

  EXPECT_EQ(judge(times(spread(0.9, 0.1, 50.0), spread(10.0, 1.0, 11.0))).holds, true);
  EXPECT_EQ(judge(times(spread(1.0, 0.1, 1.0), spread(10.0, 10.0, 99.0))).holds, false);
}

TEST(BelowShare, TellsTheFiguresWithTheirRange) {
  const Finding finding =
      below_share(kPart, 0.1, kWhole)(times(spread(0.5, 0.25, 0.75), spread(10.0, 9.0, 11.0)));

  EXPECT_THAT(finding.measured,
              AllOf(HasSubstr("5 %"), HasSubstr("part_seconds 0.5 (0.25 to 0.75)"),
                    HasSubstr("whole_seconds 10 (9 to 11)")));
  EXPECT_EQ(finding.values["part_seconds"]["median"], 0.5);
}

TEST(BelowShare, IsNotMeasuredWithoutOneOfThem) {
  const Finding finding = below_share(kPart, 0.1, kWhole)(times(spread(1.0, 1.0, 1.0), nullptr));

  EXPECT_EQ(finding.holds, std::nullopt);
  EXPECT_THAT(finding.measured, HasSubstr("not measured"));
}

TEST(LeastAtMost, ComparesLeastTimes) {
  const Judge judge = least_at_most(kPart, 1.05, kWhole);

  EXPECT_EQ(judge(times(spread(20.0, 10.5, 30.0), spread(11.0, 10.0, 12.0))).holds, true);
  EXPECT_EQ(judge(times(spread(11.0, 10.6, 30.0), spread(50.0, 10.0, 99.0))).holds, false);
}

/// Two runs of as many processes as there are times.
Measured processes(const std::vector<double>& one, const std::vector<double>& other) {
  Measured measured;
  for (const double seconds : one) measured.add("one", test::record_with({{"seconds", seconds}}));
  for (const double seconds : other) {
    measured.add("other", test::record_with({{"seconds", seconds}}));
  }
  return measured;
}

TEST(PairedAtMost, ComparesEachProcessWithItsPartnerAndTakesTheMedian) {
  const Judge judge =
      paired_at_most({"one", "/results/seconds"}, 1.05, {"other", "/results/seconds"});

  // Twice as slow in the second pair, both of them.
  EXPECT_EQ(judge(processes({1.0, 2.0, 1.5}, {1.0, 2.0, 1.0})).holds, true);
  EXPECT_EQ(judge(processes({1.1, 2.0, 1.5}, {1.0, 2.0, 1.0})).holds, false);
}

TEST(PairedAtMost, TellsTheRangeOfTheRatiosAndBothTimes) {
  const Finding finding =
      paired_at_most({"one", "/results/seconds"}, 1.05,
                     {"other", "/results/seconds"})(processes({1.0, 2.0, 1.5}, {1.0, 2.5, 1.0}));

  EXPECT_THAT(finding.measured, AllOf(HasSubstr("100 % (80 to 150) in 3 pairs"),
                                      HasSubstr("one seconds 1.5 (1 to 2)"),
                                      HasSubstr("other seconds 1 (1 to 2.5)")));
  EXPECT_EQ(finding.values["one seconds"], Json({1.0, 2.0, 1.5}));
}

TEST(PairedAtMost, IsNotMeasuredWithoutAPartner) {
  const Judge judge =
      paired_at_most({"one", "/results/seconds"}, 1.05, {"other", "/results/seconds"});

  EXPECT_EQ(judge(processes({1.0, 1.0}, {1.0})).holds, std::nullopt);
  EXPECT_EQ(judge(processes({}, {1.0})).holds, std::nullopt);
  EXPECT_EQ(judge(processes({1.0}, {0.0})).holds, std::nullopt);
}

TEST(FactHolds, IsTheFact) {
  const Judge judge = fact_holds({"run", "/results/kept"});

  EXPECT_EQ(judge(measured_of("run", {{"kept", true}})).holds, true);
  EXPECT_EQ(judge(measured_of("run", {{"kept", false}})).holds, false);
  EXPECT_EQ(judge({}).holds, std::nullopt);
}

TEST(Within, TakesBothEnds) {
  const Judge judge = within({"run", "/results/ratio"}, 0.8, 1.25);

  EXPECT_EQ(judge(measured_of("run", {{"ratio", 0.8}})).holds, true);
  EXPECT_EQ(judge(measured_of("run", {{"ratio", 1.25}})).holds, true);
  EXPECT_EQ(judge(measured_of("run", {{"ratio", 0.79}})).holds, false);
  EXPECT_EQ(judge(measured_of("run", {{"ratio", 1.26}})).holds, false);
}

TEST(TextIs, ComparesTheText) {
  const Judge judge = text_is({"run", "/results/side"}, "front_end");

  EXPECT_EQ(judge(measured_of("run", {{"side", "front_end"}})).holds, true);
  EXPECT_EQ(judge(measured_of("run", {{"side", "back_end"}})).holds, false);
  EXPECT_EQ(judge(measured_of("run", {{"side", 1}})).holds, std::nullopt);
}

TEST(AllOf, HoldsIfEachHolds) {
  const auto found = [](std::optional<bool> holds) -> Judge {
    return [holds](const Measured&) { return Finding{.holds = holds, .measured = "part"}; };
  };

  EXPECT_EQ(all_of({found(true), found(true)})({}).holds, true);
  EXPECT_EQ(all_of({found(true), found(false)})({}).holds, false);
  EXPECT_EQ(all_of({found(false), found(std::nullopt), found(true)})({}).holds, std::nullopt);
  EXPECT_EQ(all_of({found(true), found(true)})({}).measured, "part; part");
}

}  // namespace
}  // namespace runahead::reproduce
