#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

constexpr auto kHolds = Expectation::kHolds;
constexpr auto kFails = Expectation::kFails;

Place loop(const std::string& key) { return {"matmul_loop", "/results/matmul_loop/" + key}; }

Place graph(const std::string& run, const std::string& key) {
  return {run, "/results/graph/" + key};
}

std::vector<Claim> loop_claims() {
  return {{.id = "paddle.issue_is_not_execution",
           .experiment = "matmul_loop",
           .text = "Without a wait only the issuing of the products is timed.",
           .condition = "without < 10 % of with a final wait",
           .on_cpu = kFails,
           .on_acpu = kHolds,
           .on_cuda = kHolds,
           .judge = below_share(loop("without_wait_seconds"), 0.1, loop("with_wait_seconds"))},
          {.id = "paddle.same_work_as_on_the_host",
           .experiment = "matmul_loop",
           .text = "With a wait the device takes what the same cores take for the same products.",
           .condition = "with a wait, over the host: 0.8 to 1.25",
           .on_cpu = kHolds,
           .on_acpu = kHolds,
           .judge = within(loop("with_over_host"), 0.8, 1.25),
           .depends_on = "On the device: a GPU is faster, and the ratio says by how much."}};
}

std::vector<Claim> graph_claims() {
  return {{.id = "paddle.z_is_3",
           .experiment = "graph",
           .text = "z = x * y + 2 of ones is 3 everywhere.",
           .condition = "each time",
           .on_cpu = kHolds,
           .on_acpu = kHolds,
           .on_cuda = kHolds,
           .judge = all_of({fact_holds(graph("graph.1_worker", "z_as_expected")),
                            fact_holds(graph("graph.2_workers", "z_as_expected"))})},
          {.id = "paddle.dependencies_are_kept",
           .experiment = "graph",
           .text = "The back end tracks the dependencies and keeps them.",
           .condition = "in no schedule an operation began before one that it depends on had ended",
           .on_acpu = kHolds,
           .judge = all_of({fact_holds(graph("graph.1_worker", "order_kept")),
                            fact_holds(graph("graph.2_workers", "order_kept"))})},
          {.id = "paddle.branches_overlap",
           .experiment = "graph",
           .text = "Operations that do not depend on each other run in parallel.",
           .condition = "most at once: 2 with 2 workers, 1 with 1 (medians over the schedules)",
           .on_acpu = kHolds,
           .judge = all_of({within(graph("graph.2_workers", "parallel_peak"), 2.0, 2.0),
                            within(graph("graph.1_worker", "parallel_peak"), 1.0, 1.0)}),
           .depends_on = "On the number of workers: with one the graph is a sequence."}};
}

}  // namespace

Document paddle_claims() {
  Document document{.name = "Dive into Deep Learning, asynchronous computation (Paddle)",
                    .claims = loop_claims()};
  for (Claim& claim : graph_claims()) document.claims.push_back(std::move(claim));
  return document;
}

}  // namespace runahead::reproduce
