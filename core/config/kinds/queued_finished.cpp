#include "core/config/shared_keys.h"

namespace runahead::config {

ExperimentKind make_queued_finished() {
  return {.name = "queued_finished",
          .doc =
              "MXNet: the times until a matrix product and its sum are queued, and until they are "
              "finished.",
          .describe = program_keys(describe_size, describe_repeats),
          .results = {{"queued_seconds", "time from the start until everything has been issued"},
                      {"finished_seconds", "time from the start until the sum has been read"}}};
}

}  // namespace runahead::config
