#include "core/config/shared_keys.h"

namespace runahead::config {

ExperimentKind make_sync_functions() {
  return {
      .name = "sync_functions",
      .doc = "MXNet: the time of each function that needs the result of a product.",
      .describe = program_keys(describe_size, describe_repeats),
      .results = {
          {"execution_seconds",
           "product, until a mark that was queued behind it is passed; no tensor is waited for"},
          {"loss_ready_seconds", "product and wait until it is computed (wait_to_read)"},
          {"all_seconds", "product and wait for everything that was issued (waitall)"},
          {"host_copy_seconds", "product and copy to the host (asnumpy)"},
          {"loss_value_seconds", "product and its sum as a number (asscalar)"},
          {"print_seconds", "product and its sum printed"},
          {"save_seconds", "product and its serialisation"},
          {"implicit_conversion_seconds", "product, assigned to a host tensor"},
          {"issue_seconds", "the product, issued only"},
          {"shape_seconds", "product, and its shape read"},
          {"operation_seconds", "product, and one more operation on it"}}};
}

}  // namespace runahead::config
