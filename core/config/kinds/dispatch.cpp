#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_queue(ProgramConfig& program, Fields& fields) {
  fields.section(
      {"queue", "Products issued one after another: how many may be in flight."},
      [&program](Fields& keys) {
        keys.integer({"operations", "How many are issued."}, program.queue.operations, kOperations);
        keys.integer({"size", "Rows and columns of their matrices."}, program.queue.size, kSizes);
      });
}

}  // namespace

ExperimentKind make_dispatch() {
  return {
      .name = "dispatch",
      .doc = "JAX: dot(x, x) + 3 of a random matrix: what issuing, waiting and copying take.",
      .describe = program_keys(describe_size, describe_queue, describe_repeats),
      .results = {
          {"dispatch_seconds", "until the call has returned"},
          {"dispatch_cpu_seconds", "the same, CPU time of the whole process"},
          {"shape_seconds", "until shape and type have been read, too"},
          {"passed_on_seconds", "until two further operations have taken the result, too"},
          {"block_seconds", "until the result is computed"},
          {"block_cpu_seconds", "the same, CPU time of the whole process"},
          {"copy_seconds", "until the result is on the host"},
          {"copy_cpu_seconds", "the same, CPU time of the whole process"},
          {"shape_known_before_result", "shape and type were right while nothing was computed"},
          {"passed_on_before_result", "the two operations were issued while nothing was computed"},
          {"queue_issue_seconds", "queue.operations products: until all have been issued"},
          {"queue_total_seconds", "until all have been computed"},
          {"queue_operations_peak", "most of them in flight, when each takes its share of that"}}};
}

}  // namespace runahead::config
