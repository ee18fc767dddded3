#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

constexpr auto kHolds = Expectation::kHolds;
constexpr auto kFails = Expectation::kFails;
constexpr const char* kExperiment = "dispatch";

Place figure(const std::string& key) { return {"dispatch", "/results/dispatch/" + key}; }

}  // namespace

Document jax_claims() {
  return {
      .name = "JAX, asynchronous dispatch",
      .claims = {
          {.id = "jax.dispatch_returns_early",
           .experiment = kExperiment,
           .text = "The call returns before the result is computed.",
           .condition = "dispatch < 10 % of dispatch and copy to the host",
           .on_cpu = kFails,
           .on_acpu = kHolds,
           .on_cuda = kHolds,
           .judge = below_share(figure("dispatch_seconds"), 0.1, figure("copy_seconds"))},
          {.id = "jax.block_before_copy",
           .experiment = kExperiment,
           .text = "Waiting until the result is ready takes no longer than reading it back.",
           .condition = "least time to block <= 1.05 of the least time to copy",
           .on_cpu = kHolds,
           .on_acpu = kHolds,
           .on_cuda = kHolds,
           .judge = least_at_most(figure("block_seconds"), 1.05, figure("copy_seconds"))},
          {.id = "jax.shape_known_at_once",
           .experiment = kExperiment,
           .text = "Shape and type of a result are known before it is computed.",
           .condition = "read while the result was not computed, each time",
           .on_cpu = kFails,
           .on_acpu = kHolds,
           .on_cuda = kHolds,
           .judge = fact_holds(figure("shape_known_before_result"))},
          {.id = "jax.results_passed_on",
           .experiment = kExperiment,
           .text = "A result can be passed to further operations before it is computed.",
           .condition = "passed on while it was not computed, each time, within 10 % of the copy",
           .on_cpu = kFails,
           .on_acpu = kHolds,
           .on_cuda = kHolds,
           .judge =
               all_of({fact_holds(figure("passed_on_before_result")),
                       below_share(figure("passed_on_seconds"), 0.1, figure("copy_seconds"))})},
          {.id = "jax.any_amount_is_enqueued",
           .experiment = kExperiment,
           .text = "Any amount of work may be enqueued.",
           .condition = "of all products > 95 % in flight at once, issued in < 10 % of the time",
           .on_cpu = kFails,
           .on_acpu = kHolds,
           .on_cuda = kFails,
           .judge = all_of(
               {below_share(figure("queue_issue_seconds"), 0.1, figure("queue_total_seconds")),
                below_share({"dispatch", "/config/queue/operations"}, 1.0 / 0.95,
                            figure("queue_operations_peak"))}),
           .depends_on = "On the bound of the queue: acpu without a limit has none, JAX blocks at "
                         "32 computations, CUDA at about 1,000 launches."},
      }};
}

}  // namespace runahead::reproduce
