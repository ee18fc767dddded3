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
          .doc = "MXNet: the time of the generator of batches alone, with and without waits.",
          .describe =
              [](ExperimentConfig& config, Fields& fields) {
                describe_batches(config, fields);
                describe_data(config, Prefetch::kNo, fields);
                describe_print_every(config.program, fields);
                describe_repeats(config.program, fields);
              },
          .results = {{"without_wait_made_seconds",
                       "time until the source had returned the last batch, computed or not"},
                      {"without_wait_total_seconds", "time until all batches were computed"},
                      {"with_wait_made_seconds, with_wait_total_seconds",
                       "the same two times with a wait for each batch"},
                      {"batches", "the numbers of batches after which the time was recorded"},
                      {"without_wait_elapsed_seconds, with_wait_elapsed_seconds",
                       "the times recorded after those batches, in the last repeat"}}};
}

}  // namespace runahead::config
