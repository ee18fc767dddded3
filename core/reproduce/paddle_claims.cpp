#include "core/reproduce/claim_table.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

Place matmul_loop(const std::string& key) { return {"matmul_loop", "/results/matmul_loop/" + key}; }

Place graph(const std::string& run, const std::string& key) {
  return {run, "/results/graph/" + key};
}

std::vector<Claim> loop_claims() {
  return claims_on(
      "matmul_loop",
      {{.id = "paddle.issue_is_not_execution",
        .text = "Without a wait only the issuing of the products is timed.",
        .condition = "without < 10 % of with a final wait",
        .expected = kNotOnCpu,
        .judge = share_of_medians(matmul_loop("without_wait_seconds"), below(0.1),
                                  matmul_loop("with_wait_seconds"))},
       {.id = "paddle.same_work_as_on_the_host",
        .text = "With a wait the device takes what the same cores take for the same products.",
        .condition = "with a wait, over the host: 0.8 to 1.25",
        .expected = kOnCpuAndAcpu,
        .judge = median_is(matmul_loop("with_over_host"), between(0.8, 1.25)),
        .depends_on = "On the device: a GPU is faster, and the ratio says by how much."}});
}

std::vector<Claim> graph_claims() {
  return claims_on(
      "graph",
      {{.id = "paddle.z_is_3",
        .text = "z = x * y + 2 of ones is 3 everywhere.",
        .condition = "each time",
        .expected = kEverywhere,
        .judge = all_of({fact_holds(graph("graph.1_worker", "z_as_expected")),
                         fact_holds(graph("graph.2_workers", "z_as_expected"))})},
       {.id = "paddle.dependencies_are_kept",
        .text = "The back end tracks the dependencies and keeps them.",
        .condition = "in no schedule an operation began before one that it depends on had ended",
        .expected = kOnAcpu,
        .judge = all_of({fact_holds(graph("graph.1_worker", "order_kept")),
                         fact_holds(graph("graph.2_workers", "order_kept"))})},
       {.id = "paddle.branches_overlap",
        .text = "Operations that do not depend on each other run in parallel.",
        .condition = "most at once: 2 with 2 workers, 1 with 1 (medians over the schedules)",
        .expected = kOnAcpu,
        .judge = all_of({median_is(graph("graph.2_workers", "parallel_peak"), exactly(2.0)),
                         median_is(graph("graph.1_worker", "parallel_peak"), exactly(1.0))}),
        .depends_on = "On the number of workers: with one the graph is a sequence."}});
}

}  // namespace

Document paddle_claims() {
  return {.name = "Dive into Deep Learning, asynchronous computation (Paddle)",
          .claims = concatenated({loop_claims(), graph_claims()})};
}

}  // namespace runahead::reproduce
