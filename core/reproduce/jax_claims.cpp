#include "core/reproduce/claim_table.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

Place dispatch(const std::string& key) { return {"dispatch", "/results/dispatch/" + key}; }

}  // namespace

Document jax_claims() {
  return {
      .name = "JAX, asynchronous dispatch",
      .claims = claims_on(
          "dispatch",
          {
              {.id = "jax.dispatch_returns_early",
               .text = "The call returns before the result is computed.",
               .condition = "dispatch < 10 % of dispatch and copy to the host",
               .expected = kNotOnCpu,
               .judge = share_of_medians(dispatch("dispatch_seconds"), below(0.1),
                                         dispatch("copy_seconds"))},
              {.id = "jax.block_before_copy",
               .text = "Waiting until the result is ready takes no longer than reading it back.",
               .condition = "least time to block <= 1.05 of the least time to copy",
               .expected = kEverywhere,
               .judge = share_of_least(dispatch("block_seconds"), at_most(1.05),
                                       dispatch("copy_seconds"))},
              {.id = "jax.shape_known_at_once",
               .text = "Shape and type of a result are known before it is computed.",
               .condition = "read while the result was not computed, each time",
               .expected = kNotOnCpu,
               .judge = fact_holds(dispatch("shape_known_before_result"))},
              {.id = "jax.results_passed_on",
               .text = "A result can be passed to further operations before it is computed.",
               .condition =
                   "passed on while it was not computed, each time, within 10 % of the copy",
               .expected = kNotOnCpu,
               .judge = all_of({fact_holds(dispatch("passed_on_before_result")),
                                share_of_medians(dispatch("passed_on_seconds"), below(0.1),
                                                 dispatch("copy_seconds"))})},
              {.id = "jax.any_amount_is_enqueued",
               .text = "Any amount of work may be enqueued.",
               .condition =
                   "of all products > 95 % in flight at once, issued in < 10 % of the time",
               .expected = {kFails, kHolds, kFails},
               .judge = all_of({share_of_medians(dispatch("queue_issue_seconds"), below(0.1),
                                                 dispatch("queue_total_seconds")),
                                share_of_medians(dispatch("queue_operations_peak"), above(0.95),
                                                 {"dispatch", "/config/queue/operations"})}),
               .depends_on =
                   "On the bound of the queue: acpu without a limit has none, JAX blocks at "
                   "32 computations, CUDA at about 1,000 launches."},
          })};
}

}  // namespace runahead::reproduce
