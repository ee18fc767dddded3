#include <functional>
#include <utility>

#include "core/base/duration.h"
#include "core/record/figures.h"
#include "core/reproduce/claim_table.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

Place queued(const std::string& key) {
  return {"queued_finished", "/results/queued_finished/" + key};
}

Place function(const std::string& name) {
  return {"sync_functions", "/results/sync_functions/" + name + "_seconds"};
}

Place data_iter(const std::string& key) { return {"data_iter", "/results/data_iter/" + key}; }

Judge waits_for_the_product() {
  std::vector<Judge> parts;
  for (const char* name :
       {"loss_ready", "all", "host_copy", "loss_value", "print", "save", "implicit_conversion"}) {
    parts.push_back(share_of_least(function(name), at_least(0.9), function("execution")));
  }
  return all_of(std::move(parts));
}

Judge nothing_else_waits() {
  std::vector<Judge> parts;
  for (const char* name : {"issue", "shape", "operation"}) {
    parts.push_back(share_of_medians(function(name), below(0.2), function("execution")));
  }
  return all_of(std::move(parts));
}

/// Judges each number of operations that a run of `increment` predicted, in both forms. `judge`
/// leaves `holds` empty if a figure is missing.
Finding for_each_increment(const Measured& measured, const std::string& run,
                           const std::function<Finding(const Json& figures)>& judge) {
  Finding whole{.holds = true, .values = Json::array()};
  for (const char* form : {"independent", "chained"}) {
    const std::string place = std::string("/results/increment/") + form + "/runs";
    const Json runs = measured.value(run, place);
    if (!runs.is_array() || runs.empty()) return not_measured(measured, run);
    for (const Json& figures : runs) {
      const Finding finding = judge(figures);
      if (!finding.holds) return not_measured(measured, run);
      whole.holds = *whole.holds && *finding.holds;
      whole.measured += (whole.measured.empty() ? "" : "; ") + std::string(form) + ", " +
                        number_text(figures["operations"].get<double>()) +
                        " operations: " + finding.measured;
      whole.values.push_back(figures);
    }
  }
  return whole;
}

Judge waiting_once_is_faster(std::string run) {
  return [run = std::move(run)](const Measured& measured) {
    return for_each_increment(measured, run, [](const Json& figures) -> Finding {
      const auto once = record::number_at(figures, "/waited_once_seconds/median");
      const auto each = record::number_at(figures, "/waited_each_seconds/median");
      if (!once || !each) return {};
      return judged({.value = *once / *each,
                     .limit = below(0.8),
                     .text = percent_text,
                     .from = format_duration(*once) + " of " + format_duration(*each)});
    });
  };
}

/// @param way  "each" or "once".
Judge formula_holds(std::string run, std::string way) {
  return [run = std::move(run), way = std::move(way)](const Measured& measured) {
    return for_each_increment(measured, run, [&way](const Json& figures) -> Finding {
      const auto least = record::number_at(figures, "/waited_" + way + "_seconds/min");
      const auto predicted = record::number_at(figures, "/predicted_" + way + "_seconds");
      if (!least || !predicted) return {};
      return judged({.what = "off by",
                     .value = *least / *predicted - 1.0,
                     .limit = between(-0.15, 0.15),
                     .text = percent_text,
                     .from = format_duration(*least) + " (least time), predicted " +
                             format_duration(*predicted)});
    });
  };
}

std::vector<Claim> queue_claims() {
  return {{.id = "mxnet.queued_at_once",
           .experiment = "queued_finished",
           .text = "The workloads are queued long before they are finished.",
           .condition = "queued < 5 % of finished",
           .expected = kNotOnCpu,
           .judge =
               share_of_medians(queued("queued_seconds"), below(0.05), queued("finished_seconds"))},
          {.id = "mxnet.sync_functions_wait",
           .experiment = "sync_functions",
           .text = "wait_to_read, waitall, asnumpy, asscalar, print, save and an implicit "
                   "conversion wait for the result.",
           .condition = "each takes at least 0.9 of the execution time (least times)",
           .expected = kEverywhere,
           .judge = waits_for_the_product()},
          {.id = "mxnet.nothing_else_waits",
           .experiment = "sync_functions",
           .text = "Issuing, reading the shape and a further operation do not wait.",
           .condition = "each < 20 % of the execution time",
           .expected = kNotOnCpu,
           .judge = nothing_else_waits()}};
}

std::vector<Claim> increment_claims() {
  return claims_on(
      "increment",
      {{.id = "mxnet.waiting_once_is_faster",
        .text = "1,000 and more y = x + 1 take less with one wait at the end than with one each.",
        .condition = "once < 80 % of each, at every number of operations",
        .expected = kNotOnCpu,
        .judge = waiting_once_is_faster("increment.small"),
        .depends_on = "On t1 + t3 against t2: of 4 MB an execution is most of what a wait costs, "
                      "and less is gained."},
       {.id = "mxnet.time_with_waits",
        .text = "Waiting each time takes n(t1 + t2 + t3).",
        .condition = "least times within 15 %, of both sizes, with t1, t2 and t3 from other n",
        .expected = kOnAcpuAndCuda,
        .judge = all_of(
            {formula_holds("increment.small", "each"), formula_holds("increment.large", "each")})},
       {.id = "mxnet.time_without_waits",
        .text = "Waiting once takes t1 + n t2 + t3; n t1 + t2 + t3 where t2 < t1.",
        .condition = "least times within 15 %, of both sizes, with t1, t2 and t3 from other n",
        .expected = kOnAcpuAndCuda,
        .judge = all_of(
            {formula_holds("increment.small", "once"), formula_holds("increment.large", "once")})},
       {.id = "mxnet.the_back_end_is_the_slower_side",
        .text = "Executing takes longer than issuing: 1000 t2 > 999 t1, as the chapter assumes.",
        .condition =
            "without waits one more takes > 1.1 t1, of two numbers and of 4 MB, not chained",
        .expected = kOnAcpu,
        .judge = all_of(
            {text_is({"increment.small", "/results/increment/independent/bottleneck"}, "back_end"),
             text_is({"increment.large", "/results/increment/independent/bottleneck"},
                     "back_end")}),
        .depends_on =
            "On the front end: C++ issues y = x + 1 in less time than executing it takes, "
            "other front ends do not. See the next."},
       {.id = "mxnet.a_slow_front_end_is_the_bound",
        .text = "Where issuing takes longer than executing, the total is n t1 + t2 + t3 instead.",
        .condition =
            "t2 < 80 % of t1 with 10 us more to issue each, and both least totals within 15 %",
        .expected = kOnAcpu,
        .judge =
            all_of({share_of_medians(
                        {"increment.slow_front_end", "/results/increment/independent/t2_seconds"},
                        below(0.8),
                        {"increment.slow_front_end", "/results/increment/independent/t1_seconds"}),
                    formula_holds("increment.slow_front_end", "each"),
                    formula_holds("increment.slow_front_end", "once")}),
        .depends_on = "On t2 / t1: see also the exercise."}});
}

std::vector<Claim> data_claims() {
  return claims_on(
      "data_iter",
      {{.id = "mxnet.batches_exist_early",
        .text = "Without waits all batches exist long before they are computed.",
        .condition = "the last exists within 10 % of the total time",
        .expected = kNotOnCpu,
        .judge = share_of_medians(data_iter("without_wait_made_seconds"), below(0.1),
                                  data_iter("without_wait_total_seconds")),
        .depends_on = "On where batches are made: as operations of the device, as here. Made on "
                      "the host they take the front end's own time."}});
}

/// Each size of the exercise whose two sides differ by at least a quarter follows the formula of
/// its slower side, and each side is the slower one at some size.
Finding the_slower_side_decides(const Measured& measured) {
  const Json sizes = measured.value("exercise", "/results/exercise/sizes");
  if (!sizes.is_array() || sizes.empty()) return not_measured(measured, "exercise");
  Finding finding{.holds = true, .values = sizes};
  bool has_slower_front_end = false;
  bool has_slower_back_end = false;
  for (const Json& size : sizes) {
    const auto found = record::number_at(size, "/t2_over_t1");
    if (!found) return not_measured(measured, "exercise");
    const double ratio = *found;
    const auto formula = size["fitting_formula"].get<std::string>();
    has_slower_front_end |= ratio < 0.8;
    has_slower_back_end |= ratio > 1.25;
    if (ratio < 0.8 && formula != "front_end") finding.holds = false;
    if (ratio > 1.25 && formula != "back_end") finding.holds = false;
    finding.measured +=
        (finding.measured.empty() ? "t2/t1 " : ", ") + number_text(ratio) + " " + formula;
  }
  finding.holds = *finding.holds && has_slower_front_end && has_slower_back_end;
  return finding;
}

std::vector<Claim> exercise_claims() {
  return claims_on(
      "exercise",
      {{.id = "mxnet.asynchrony_on_the_cpu",
        .text = "On the CPU, asynchrony through the back end can still be observed.",
        .condition = "issuing takes less than half of all, at one size at least",
        .expected = kOnAcpuNotOnCpu,
        .judge = fact_holds({"exercise", "/results/exercise/asynchrony_observed"}),
        .depends_on = "On the back end, not on the CPU: the same program on cpu and on acpu."},
       {.id = "mxnet.why_1000_t2_above_999_t1",
        .text = "The chapter's total assumes that the back end is the slower side.",
        .condition = "n t1 fits where t2/t1 < 0.8, n t2 where it is > 1.25, and both occur",
        .expected = kOnAcpu,
        .judge = the_slower_side_decides,
        .depends_on = "On t2 / t1, swept across 1 by the size of x."}});
}

}  // namespace

Document mxnet_claims() {
  return {.name = "Dive into Deep Learning, asynchronous computation (MXNet)",
          .claims = concatenated({queue_claims(), increment_claims(), data_claims(),
                                  mxnet_memory_claims(), exercise_claims()})};
}

}  // namespace runahead::reproduce
