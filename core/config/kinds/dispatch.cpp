#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_queue(ProgramConfig& program, Fields& fields) {
  fields.section({"queue", "Products issued one after another: how many may be in flight."},
                 [&program](Fields& keys) {
                   keys.integer({"operations", "Number of products that are issued."},
                                program.queue.operations, kOperations);
                   keys.integer({"size", "Rows and columns of the matrices of these products."},
                                program.queue.size, kSizes);
                 });
}

}  // namespace

ExperimentKind make_dispatch() {
  return {.name = "dispatch",
          .doc = "JAX: the times of issuing dot(x, x) + 3, waiting for it and copying it.",
          .describe = program_keys(describe_size, describe_queue, describe_repeats),
          .results = {{"dispatch_seconds", "time until the call has returned"},
                      {"dispatch_cpu_seconds", "CPU time of the whole process until then"},
                      {"shape_seconds", "time until shape and type have also been read"},
                      {"passed_on_seconds",
                       "time until two more operations that use the result have been issued"},
                      {"block_seconds", "time until the result is computed"},
                      {"block_cpu_seconds", "CPU time of the whole process until then"},
                      {"copy_seconds", "time until the result is on the host"},
                      {"copy_cpu_seconds", "CPU time of the whole process until then"},
                      {"shape_known_before_result",
                       "whether shape and type were right before anything was computed"},
                      {"passed_on_before_result",
                       "whether the two operations were issued before anything was computed"},
                      {"queue_issue_seconds",
                       "time until all products, the config's /queue/operations, have been issued"},
                      {"queue_total_seconds", "time until all of them have been computed"},
                      {"queue_operations_peak",
                       "estimated maximum in flight, assuming that each takes the same time"}}};
}

}  // namespace runahead::config
