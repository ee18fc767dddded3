#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_products(ProgramConfig& program, Fields& fields) {
  fields.integer({"products", "Random matrices, and products, in a loop."}, program.products,
                 {1, 1'000'000});
}

}  // namespace

ExperimentKind make_matmul_loop() {
  return {.name = "matmul_loop",
          .doc = "Paddle: random matrices and their products in a loop, on device and host.",
          .describe = program_keys(describe_size, describe_products, describe_repeats),
          .results = {{"without_wait_seconds", "the loop on the device, without a wait at its end"},
                      {"with_wait_seconds", "the same with a wait at its end"},
                      {"host_seconds", "the same loop on the host, where each call computes"},
                      {"with_over_host", "with_wait_seconds / host_seconds of the same repeat"}}};
}

}  // namespace runahead::config
