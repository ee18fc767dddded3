#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_exercise(ProgramConfig& program, Fields& fields) {
  fields.integers({"elements", "Of x in y = x + 1: t2 grows with it, t1 does not."},
                  program.elements, {1, 64}, {1, std::int64_t{1} << 30});
  fields.integer({"increments", "How many y = x + 1 for each of these sizes."}, program.increments,
                 kOperations);
  describe_fitted_operations(program, fields);
  describe_seconds_per_increment(program, fields);
}

}  // namespace

ExperimentKind make_exercise() {
  return {.name = "exercise",
          .doc = "MXNet's exercises: asynchrony on the CPU; t2/t1 swept across 1.",
          .describe = program_keys(describe_exercise, describe_repeats),
          .results = {{"asynchrony_observed", "whether issuing took under half of all, anywhere"},
                      {"sizes[].elements", "of x in y = x + 1"},
                      {"sizes[].*", "as increment's"},
                      {"sizes[].t2_over_t1", "what the exercise assumes to be above 999/1000"},
                      {"sizes[].fitting_formula",
                       "back_end: t1+n*t2+t3 is the nearer; front_end: "
                       "n*t1+t2+t3"}}};
}

}  // namespace runahead::config
