#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_exercise(ProgramConfig& program, Fields& fields) {
  fields.integers({"elements", "Elements of x in y = x + 1: t2 grows with it, t1 does not."},
                  program.elements, {1, 64}, {1, std::int64_t{1} << 30});
  fields.integer({"increments", "How many y = x + 1 for each of these sizes."}, program.increments,
                 kOperations);
  describe_fitted_operations(program, fields);
  describe_seconds_per_increment(program, fields);
}

}  // namespace

ExperimentKind make_exercise() {
  return {.name = "exercise",
          .doc =
              "MXNet's exercises: whether operations run asynchronously, and which of two formulas "
              "predicts their time, for sizes from t2 < t1 to t2 > t1.",
          .describe = program_keys(describe_exercise, describe_repeats),
          .results = {
              {"asynchrony_observed",
               "whether, for some size, issuing took less than half of the total time"},
              {"sizes[].elements", "elements of x in y = x + 1"},
              {"sizes[].*", "the keys of experiment increment, for this size"},
              {"sizes[].t2_over_t1", "t2 / t1, which the exercise assumes to be above 999/1000"},
              {"sizes[].fitting_formula",
               "the formula nearer to what was measured: back_end is "
               "t1+n*t2+t3, front_end n*t1+t2+t3"}}};
}

}  // namespace runahead::config
