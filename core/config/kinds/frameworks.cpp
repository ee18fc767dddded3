#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_frameworks(ProgramConfig& program, Fields& fields) {
  fields.integer({"runs", "How often each program runs on each framework; figures are medians."},
                 program.runs, {1, 1000});
  fields.boolean({"small_sizes", "Whether the programs are smaller, the same."},
                 program.small_sizes);
}

}  // namespace

ExperimentKind make_frameworks() {
  return {
      .name = "frameworks",
      .doc =
          "The programs of dispatch to predict on MXNet, JAX and other frameworks, where set up.",
      .is_foreign = true,
      .describe = program_keys(describe_frameworks),
      .results = {{"peers.NAME.status", "ok, failed, timed_out or interrupted; absent"},
                  {"peers.NAME.reason", "why it is not ok; of an absent one what is missing"},
                  {"peers.NAME.*", "as scripts/peers/README.md says: versions, programs"}}};
}

}  // namespace runahead::config
