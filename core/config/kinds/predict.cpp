#include "core/config/shared_keys.h"

namespace runahead::config {

ExperimentKind make_predict() {
  return {
      .name = "predict",
      .doc = "Runs the model forward only, and keeps or drops its outputs, under one sync policy.",
      .has_model = true,
      .describe =
          [](ExperimentConfig& config, Fields& fields) {
            describe_batches(config, fields);
            describe_warmup_batches(config, fields);
            describe_model_and_data(config, Prefetch::kYes, fields);
            describe_sync(config, fields);
            describe_outputs(config.program, fields);
          },
      .results = {{"output_bytes", "outputs of one batch"},
                  {"kept_bytes", "outputs that the program still held at the end"}}};
}

}  // namespace runahead::config
