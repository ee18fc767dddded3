#include "core/config/shared_keys.h"

namespace runahead::config {

namespace {
constexpr IntegerRange kWidths{1, std::int64_t{1} << 24};
}  // namespace

void describe_size(ProgramConfig& program, Fields& fields) {
  fields.integer({"size", "Rows and columns of the matrices."}, program.size, kSizes);
}

void describe_shape(ProgramConfig& program, Fields& fields) {
  fields.integers({"shape", "Shape of x in y = x + 1."}, program.shape, {1, 8}, kWidths);
}

void describe_fitted_operations(ProgramConfig& program, Fields& fields) {
  fields.integers({"fitted_operations",
                   "Numbers of operations, two different ones at least, that t1, t2 and t3 are "
                   "fitted to."},
                  program.fitted_operations, {2, 16}, kOperations);
}

void describe_seconds_per_increment(ProgramConfig& program, Fields& fields) {
  fields.seconds(
      {"seconds_per_increment",
       "Front-end time added to each y = x + 1, the CPU busy: a front end as slow as Python's."},
      program.seconds_per_increment, {0.0, 1.0});
}

void describe_outputs(ProgramConfig& program, Fields& fields) {
  fields.choice({"outputs", "Whether the program drops its outputs or keeps them to the end."},
                program.outputs);
}

void describe_repeats(ProgramConfig& program, Fields& fields) {
  fields.integer({"repeats", "How often the program is measured; figures are medians."},
                 program.repeats, {1, 10'000});
  fields.integer({"warmup_repeats", "How often it runs before that."}, program.warmup_repeats,
                 {0, 10'000});
}

}  // namespace runahead::config
