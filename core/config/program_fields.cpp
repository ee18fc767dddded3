#include "core/config/program_fields.h"

#include "core/config/names.h"

namespace runahead::config {
namespace {

constexpr IntegerRange kSizes{1, 65'536};
constexpr IntegerRange kOperations{1, 10'000'000};
constexpr IntegerRange kWidths{1, std::int64_t{1} << 24};

void describe_shape(ProgramConfig& program, Fields& fields) {
  fields.integers({"shape", "Of x in y = x + 1."}, program.shape, {1, 8}, kWidths);
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

}  // namespace

void describe_size(ProgramConfig& program, Fields& fields) {
  fields.integer({"size", "Rows and columns of the matrices."}, program.size, kSizes);
}

void describe_queue(ProgramConfig& program, Fields& fields) {
  fields.section(
      {"queue", "Products issued one after another: how many may be in flight."},
      [&program](Fields& keys) {
        keys.integer({"operations", "How many are issued."}, program.queue.operations, kOperations);
        keys.integer({"size", "Rows and columns of their matrices."}, program.queue.size, kSizes);
      });
}

void describe_products(ProgramConfig& program, Fields& fields) {
  fields.integer({"products", "Random matrices, and products, in a loop."}, program.products,
                 {1, 1'000'000});
}

void describe_increment(ProgramConfig& program, Fields& fields) {
  describe_shape(program, fields);
  fields.integers({"operations", "How many y = x + 1: a run for each of these numbers."},
                  program.operations, {1, 16}, kOperations);
  describe_fitted_operations(program, fields);
  describe_seconds_per_increment(program, fields);
}

void describe_graph(ProgramConfig& program, Fields& fields) {
  fields.integer({"branches", "Of the wide graph; they do not depend on each other."},
                 program.branches, {1, 1024});
  fields.integer({"branch_operations", "Products in each branch, one after another."},
                 program.branch_operations, {1, 1024});
  describe_size(program, fields);
  fields.integer({"schedules", "How often both graphs run and their order is checked."},
                 program.schedules, {1, 1'000'000});
}

void describe_print_every(ProgramConfig& program, Fields& fields) {
  fields.integer({"print_every", "Batches from one look at the time to the next."},
                 program.print_every, {1, 1'000'000});
}

void describe_outputs(ProgramConfig& program, Fields& fields) {
  auto index = static_cast<std::size_t>(program.outputs);
  fields.choice({"outputs", "Whether the program drops its outputs or keeps them to the end."},
                index, names_of<Outputs>());
  program.outputs = static_cast<Outputs>(index);
}

void describe_exercise(ProgramConfig& program, Fields& fields) {
  fields.integers({"elements", "Of x in y = x + 1: t2 grows with it, t1 does not."},
                  program.elements, {1, 64}, {1, std::int64_t{1} << 30});
  fields.integer({"increments", "How many y = x + 1 for each of these sizes."}, program.increments,
                 kOperations);
  describe_fitted_operations(program, fields);
  describe_seconds_per_increment(program, fields);
}

void describe_delays(ProgramConfig& program, Fields& fields) {
  fields.integers({"delay_percent",
                   "Front-end time added to each batch, the CPU busy, in per cent of t2, the time "
                   "that the back end takes for one: a run for each."},
                  program.delay_percent, {1, 64}, {0, 1000});
}

void describe_launch_queue(ProgramConfig& program, Fields& fields) {
  describe_shape(program, fields);
  fields.seconds({"hold_seconds",
                  "How long the device is occupied; within nine tenths of it the queue must fill."},
                 program.hold_seconds, {0.0, 60.0, /*above_min=*/true});
  fields.integer({"launches", "Most launches of y = x + 1 that are tried meanwhile."},
                 program.launches, kOperations);
  describe_outputs(program, fields);
}

void describe_repeats(ProgramConfig& program, Fields& fields) {
  fields.integer({"repeats", "How often the program is measured; figures are medians."},
                 program.repeats, {1, 10'000});
  fields.integer({"warmup_repeats", "How often it runs before that."}, program.warmup_repeats,
                 {0, 10'000});
}

}  // namespace runahead::config
