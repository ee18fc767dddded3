// Claims that look at several figures. All others, and the runs that they rest on, are in
// tests/apps/runahead/golden/reproduce_plan.txt.

#include "core/reproduce/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "measured_fixtures.h"

namespace runahead::reproduce {
namespace {

using test::measured_of;
using test::spread;
using ::testing::HasSubstr;

Claim claim_named(const std::string& id) {
  for (const Document& document : all_documents()) {
    for (const Claim& claim : document.claims) {
      if (claim.id == id) return claim;
    }
  }
  throw UsageError("no claim " + id);
}

Json increments(double each, double once) {
  return {{"operations", 1000},
          {"waited_each_seconds", spread(2.0 * each, each, 3.0 * each)},
          {"waited_once_seconds", spread(2.0 * once, once, 3.0 * once)},
          {"predicted_each_seconds", 1.0},
          {"predicted_once_seconds", 1.0}};
}

Json increment_results(const Json& independent, const Json& chained) {
  return {{"increment",
           {{"independent", {{"runs", {independent}}}}, {"chained", {{"runs", {chained}}}}}}};
}

TEST(Claims, OfWaitingOnceLookAtBothForms) {
  const Claim claim = claim_named("mxnet.waiting_once_is_faster");
  const Json fast = increments(10.0, 7.0);
  const Json slow = increments(10.0, 9.0);

  EXPECT_EQ(claim.judge(measured_of("increment.small", increment_results(fast, fast))).holds, true);
  EXPECT_EQ(claim.judge(measured_of("increment.small", increment_results(fast, slow))).holds,
            false);
}

TEST(Claims, OfTheFormulaAllowErrorsToBothSides) {
  const Claim claim = claim_named("mxnet.time_with_waits");
  const auto holds_with = [&claim](double error) {
    Measured measured;
    for (const char* run : {"increment.small", "increment.large"}) {
      measured.add(run, test::record_with(
                            increment_results(increments(1.0, 1.0), increments(1.0 + error, 1.0))));
    }
    return claim.judge(measured).holds;
  };

  EXPECT_EQ(holds_with(0.149), true);
  EXPECT_EQ(holds_with(-0.16), false);
  EXPECT_EQ(holds_with(0.16), false);
}

Json size_of_exercise(double ratio, const char* formula) {
  return {{"t2_over_t1", ratio}, {"fitting_formula", formula}};
}

/// The claim is on the least times, and on what is at least so much: its evidence is, too.
TEST(Claims, GiveTheirRatioTheWayTheyStateIt) {
  Json seconds;
  for (const char* name : {"execution", "loss_ready", "all", "host_copy", "loss_value", "print",
                           "save", "implicit_conversion"}) {
    seconds[std::string(name) + "_seconds"] = spread(0.0327, 0.02, 0.05);
  }
  seconds["print_seconds"] = spread(0.0401, 0.0149, 0.05);
  const Finding waits = claim_named("mxnet.sync_functions_wait")
                            .judge(measured_of("sync_functions", {{"sync_functions", seconds}}));
  EXPECT_EQ(waits.holds, false);
  EXPECT_THAT(waits.measured, HasSubstr("print is 74.5 % of execution (limit: at least 90 %): "
                                        "14.9 ms of 20.0 ms (least times)"));
}

TEST(Claims, OfTheExerciseNeedBothSides) {
  const Claim claim = claim_named("mxnet.why_1000_t2_above_999_t1");
  const auto holds_with = [&claim](const Json& sizes) {
    return claim.judge(measured_of("exercise", {{"exercise", {{"sizes", sizes}}}})).holds;
  };
  const Json small = size_of_exercise(0.3, "front_end");
  const Json near = size_of_exercise(1.0, "front_end");
  const Json large = size_of_exercise(5.0, "back_end");

  EXPECT_EQ(holds_with({small, near, large}), true);
  EXPECT_EQ(holds_with({small, near}), false);
  EXPECT_EQ(holds_with({small, size_of_exercise(5.0, "front_end")}), false);
}

Json front_end_results(double at_75, double at_125, double at_200) {
  Json delays = Json::array();
  for (const auto& [percent, seconds] :
       {std::pair{0, 1.0}, {75, at_75}, {125, at_125}, {200, at_200}}) {
    delays.push_back({{"percent", percent},
                      {"delay_seconds", percent / 100.0},
                      {"seconds_per_batch", spread(2 * seconds, seconds, 3 * seconds)}});
  }
  return {{"front_end", {{"delays", delays}}}};
}

TEST(Claims, OfTheFrontEndAreFlatThenSlopeOne) {
  const Claim flat = claim_named("front_end.a_slower_front_end_costs_nothing");
  const Claim slope = claim_named("front_end.beyond_t2_it_is_the_bound");
  const auto measured = [](double at_75, double at_125, double at_200) {
    return measured_of("front_end", front_end_results(at_75, at_125, at_200));
  };

  EXPECT_EQ(flat.judge(measured(1.1, 1.25, 2.0)).holds, true);
  EXPECT_EQ(flat.judge(measured(1.2, 1.25, 2.0)).holds, false);
  EXPECT_EQ(slope.judge(measured(1.0, 1.25, 2.0)).holds, true);
  EXPECT_EQ(slope.judge(measured(1.0, 1.25, 1.7)).holds, false);
}

}  // namespace
}  // namespace runahead::reproduce
