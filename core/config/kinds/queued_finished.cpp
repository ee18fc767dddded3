#include "core/config/shared_keys.h"

namespace runahead::config {

ExperimentKind make_queued_finished() {
  return {.name = "queued_finished",
          .doc = "MXNet: a random matrix, its product with itself, the sum: queued, and finished.",
          .describe = program_keys(describe_size, describe_repeats),
          .results = {{"queued_seconds", "until all has been issued, from the start"},
                      {"finished_seconds", "until the sum has been read, from the start"}}};
}

}  // namespace runahead::config
