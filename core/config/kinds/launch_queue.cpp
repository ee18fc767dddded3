#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_launch_queue(ProgramConfig& program, Fields& fields) {
  describe_shape(program, fields);
  fields.seconds({"hold_seconds",
                  "How long the device is occupied; within nine tenths of it the queue must fill."},
                 program.hold_seconds, {0.0, 60.0, /*above_min=*/true});
  fields.integer({"launches", "Most launches of y = x + 1 that are tried meanwhile."},
                 program.launches, kOperations);
  describe_outputs(program, fields);
}

}  // namespace

ExperimentKind make_launch_queue() {
  return {
      .name = "launch_queue",
      .doc = "How many launches the front end can run ahead of a device before launching blocks.",
      .describe = program_keys(describe_launch_queue, describe_repeats),
      .results = {
          {"depth", "launches in the queue when a launch first blocked; null if no launch blocked"},
          {"depth_unknown_because", "why no launch blocked; null if one did in every repeat"},
          {"launches", "number of launches queued without blocking"},
          {"launch_seconds", "median time of a launch that did not block; null if there was none"},
          {"blocked_seconds", "time of the launch that blocked; null if none did"},
          {"kept_bytes",
           "device memory that the queued launches hold; on cuda the growth of the allocator's "
           "active bytes"}}};
}

}  // namespace runahead::config
