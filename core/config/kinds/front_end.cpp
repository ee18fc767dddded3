#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_delays(ProgramConfig& program, Fields& fields) {
  fields.integers({"delay_percent",
                   "Front-end time added to each batch, the CPU busy, in per cent of t2, the time "
                   "that the back end takes for one: a run for each."},
                  program.delay_percent, {1, 64}, {0, 1000});
}

}  // namespace

ExperimentKind make_front_end() {
  return {
      .name = "front_end",
      .doc = "MXNet and Paddle: the effect of a front-end delay in each batch, from 0 to twice t2.",
      .has_model = true,
      .trains = true,
      .describe =
          [](ExperimentConfig& config, Fields& fields) {
            describe_batches(config, fields);
            describe_model_and_data(config, Prefetch::kNo, fields);
            describe_training(config, fields);
            describe_sync(config, fields);
            describe_delays(config.program, fields);
            describe_repeats(config.program, fields);
          },
      .results = {
          {"t1_seconds, t2_seconds", "time to issue and to execute a batch without a delay"},
          {"delays[].percent", "the delay, as a share of t2"},
          {"delays[].delay_seconds", "added to each batch"},
          {"delays[].total_seconds", "time of all batches, until the device is idle"},
          {"delays[].seconds_per_batch", "total_seconds / number of batches"}}};
}

}  // namespace runahead::config
