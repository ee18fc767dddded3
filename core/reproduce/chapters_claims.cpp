#include "core/base/duration.h"
#include "core/record/figures.h"
#include "core/reproduce/claim_table.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

constexpr double kLongestFlatPercent = 75.0;
constexpr double kFirstSlopedPercent = 125.0;
constexpr double kLastSlopedPercent = 200.0;
constexpr double kMostOfNoDelay = 1.1;

/// The minimum over the runs: other load on the machine only adds to times.
double batch_seconds(const Json& delay) {
  return record::number_at(delay, "/seconds_per_batch/min").value();
}

/// The delays that were measured.
Json delays_of(const Measured& measured) {
  Json delays = Json::array();
  for (const Json& delay : measured.value("front_end", "/results/front_end/delays")) {
    if (record::number_at(delay, "/seconds_per_batch/min")) delays.push_back(delay);
  }
  return delays;
}

/// The delay of `percent`; null if it was not measured.
Json delay_of(const Json& delays, double percent) {
  for (const Json& delay : delays) {
    if (delay["percent"] == percent) return delay;
  }
  return nullptr;
}

/// A delay of up to three quarters of t2 costs nothing.
Finding is_flat(const Measured& measured) {
  const Json delays = delays_of(measured);
  const Json none = delay_of(delays, 0.0);
  const Json longest = delay_of(delays, kLongestFlatPercent);
  if (none.is_null() || longest.is_null()) return not_measured(measured, "front_end");
  Json slowest = longest;
  for (const Json& delay : delays) {
    if (delay["percent"].get<double>() > kLongestFlatPercent) continue;
    if (batch_seconds(delay) > batch_seconds(slowest)) slowest = delay;
  }
  return judged({.what = "a batch takes most with a delay of " +
                         number_text(slowest["percent"].get<double>()) + " % of t2,",
                 .value = batch_seconds(slowest) / batch_seconds(none),
                 .limit = at_most(kMostOfNoDelay),
                 .text = percent_text,
                 .of = " of that without",
                 .from = format_duration(batch_seconds(slowest)) + " of " +
                         format_duration(batch_seconds(none)) + " (least times)",
                 .values = delays});
}

/// Beyond t2, the time of a batch increases by as much as the delay.
Finding rises_with_slope_1(const Measured& measured) {
  const Json delays = delays_of(measured);
  const Json less = delay_of(delays, kFirstSlopedPercent);
  const Json more = delay_of(delays, kLastSlopedPercent);
  if (less.is_null() || more.is_null()) return not_measured(measured, "front_end");
  const auto less_delay = less["delay_seconds"].get<double>();
  const auto more_delay = more["delay_seconds"].get<double>();
  const double slope = (batch_seconds(more) - batch_seconds(less)) / (more_delay - less_delay);
  return judged({.what = "slope",
                 .value = slope,
                 .limit = between(0.9, 1.1),
                 .from = "a batch takes " + format_duration(batch_seconds(less)) +
                         " with a delay of " + format_duration(less_delay) + ", " +
                         format_duration(batch_seconds(more)) + " with " +
                         format_duration(more_delay) + " (least times)",
                 .values = {{"slope", slope}, {"delays", {less, more}}}});
}

}  // namespace

Document chapters_claims() {
  return {.name = "Both chapters, on the front end",
          .claims = claims_on(
              "front_end",
              {{.id = "front_end.a_slower_front_end_costs_nothing",
                .text = "Host work overlaps the device's: the front end's speed hardly matters.",
                .condition =
                    "a batch takes <= 1.1 of that without a delay, up to 0.75 t2 (least times)",
                .expected = kNotOnCpu,
                .judge = is_flat,
                .depends_on = "On the delay against t2: see the next."},
               {.id = "front_end.beyond_t2_it_is_the_bound",
                .text = "Once the delay passes t2, a batch takes longer by the delay.",
                .condition = "slope from a delay of 1.25 to one of 2 t2: 0.9 to 1.1 (least times)",
                .expected = kEverywhere,
                .judge = rises_with_slope_1},
               {.id = "front_end.python_is_as_fast",
                .text = "The front end's language hardly matters: Python trains as fast as C++.",
                .condition = "least total of the Python loop <= 1.05 of that of C++",
                .expected = kOnAcpu,
                .judge = share_of_least({"front_end.python", "/results/front_end/total_seconds"},
                                        at_most(1.05),
                                        {"front_end", "/results/front_end/delays/0/total_seconds"}),
                .depends_on = "On t2 against the time that Python takes to issue a batch."}})};
}

}  // namespace runahead::reproduce
