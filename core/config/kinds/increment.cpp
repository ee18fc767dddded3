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
      .doc =
          "MXNet: the time of n operations y = x + 1, with a wait after each or at the end, and "
          "what "
          "formulas predict.",
      .describe = program_keys(describe_increment, describe_repeats),
      .results = {
          {"independent", "every y = x + 1 reads the same x; holds the keys marked *"},
          {"chained", "every x = x + 1 reads the one before; holds the keys marked *"},
          {"*.t1_seconds, t2_seconds, t3_seconds",
           "fitted to the shortest times measured for each number of operations in the config's "
           "/fitted_operations"},
          {"*.bottleneck", "front_end where t2 < t1, else back_end"},
          {"*.runs[].operations", "n"},
          {"*.runs[].waited_each_seconds", "total time with a wait after each operation"},
          {"*.runs[].waited_once_seconds", "total time with one wait at the end"},
          {"*.runs[].issue_seconds",
           "with one wait at the end: time until everything has been issued"},
          {"*.runs[].predicted_each_seconds", "waited_each_seconds as predicted by n(t1+t2+t3)"},
          {"*.runs[].predicted_once_seconds",
           "waited_once_seconds as predicted by t1+n*t2+t3, or by n*t1+t2+t3 if t2 < t1"},
          {"*.runs[].error_each, error_once",
           "the shortest measured time divided by the predicted one, minus 1"}}};
}

}  // namespace runahead::config
