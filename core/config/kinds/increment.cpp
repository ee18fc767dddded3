#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_increment(ProgramConfig& program, Fields& fields) {
  describe_shape(program, fields);
  fields.integers({"operations", "How many y = x + 1: a run for each of these numbers."},
                  program.operations, {1, 16}, kOperations);
  describe_fitted_operations(program, fields);
  describe_seconds_per_increment(program, fields);
}

}  // namespace

ExperimentKind make_increment() {
  return {
      .name = "increment",
      .doc = "MXNet: y = x + 1, waiting each time and once, against n(t1+t2+t3) and t1+n*t2+t3.",
      .describe = program_keys(describe_increment, describe_repeats),
      .results = {
          {"independent", "y = x + 1, all of the same x; its keys are those below"},
          {"chained", "x = x + 1, each of the last; its keys are those below"},
          {"*.t1_seconds, t2_seconds, t3_seconds",
           "fitted to the least times of fitted_operations"},
          {"*.bottleneck", "front_end where t2 < t1, else back_end"},
          {"*.runs[].operations", "n"},
          {"*.runs[].waited_each_seconds", "waiting after each"},
          {"*.runs[].waited_once_seconds", "waiting once at the end"},
          {"*.runs[].issue_seconds", "of the latter, until all have been issued"},
          {"*.runs[].predicted_each_seconds", "n(t1+t2+t3) of these costs"},
          {"*.runs[].predicted_once_seconds", "likewise t1+n*t2+t3, or n*t1+t2+t3 where t2 < t1"},
          {"*.runs[].error_each, error_once",
           "the least time measured over the predicted one, less 1"}}};
}

}  // namespace runahead::config
