#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_log(ExperimentConfig& config, Fields& fields) {
  fields.integer({"log_every",
                  "Batches whose losses are kept on the device and then read together; 0: none is "
                  "kept."},
                 config.log_every, {0, train::kMostBatches});
}

}  // namespace

ExperimentKind make_train() {
  return {
      .name = "train",
      .doc = "Trains a model and measures time, memory and backlog under one sync policy.",
      .has_model = true,
      .trains = true,
      .describe =
          [](ExperimentConfig& config, Fields& fields) {
            describe_batches(config, fields);
            describe_warmup_batches(config, fields);
            describe_model_and_data(config, Prefetch::kYes, fields);
            describe_training(config, fields);
            describe_sync(config, fields);
            describe_log(config, fields);
            describe_job(config, fields);
          },
      .results = {
          {"logged_losses",
           "mean losses, one for every log_every batches, the latest 1,000; absent if log_every is "
           "0"},
          {"evaluations",
           "measured batches trained, mean loss and accuracy (null if the targets are not classes) "
           "of each of the latest 1,000 evaluations; absent if there was none"},
          {"accuracy",
           "share of correct classifications in the latest evaluation; absent if it was not "
           "measured"},
          {"resumed_at_batch",
           "number of batches already trained in the checkpoint that the run resumed from; "
           "absent if "
           "it did not resume"}}};
}

}  // namespace runahead::config
