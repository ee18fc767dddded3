#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_print_every(ProgramConfig& program, Fields& fields) {
  fields.integer({"print_every", "Batches from one look at the time to the next."},
                 program.print_every, {1, 1'000'000});
}

}  // namespace

ExperimentKind make_data_iter() {
  return {.name = "data_iter",
          .doc = "MXNet: the generator of batches alone, consumed with and without waits.",
          .describe =
              [](ExperimentConfig& config, Fields& fields) {
                describe_batches(config, fields);
                describe_data(config, Prefetch::kNo, fields);
                describe_print_every(config.program, fields);
                describe_repeats(config.program, fields);
              },
          .results = {{"without_wait_made_seconds", "until the last batch existed"},
                      {"without_wait_total_seconds", "until all were computed"},
                      {"with_wait_made_seconds, with_wait_total_seconds", "waiting for each batch"},
                      {"batches", "after each of these batches the time was taken"},
                      {"without_wait_elapsed_seconds, with_wait_elapsed_seconds",
                       "these times, of the last repeat"}}};
}

}  // namespace runahead::config
