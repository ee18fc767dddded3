#include "core/config/experiment_kinds.h"

#include <algorithm>

#include "core/base/error.h"

namespace runahead::config {
namespace {

ExperimentKind dispatch() {
  return {
      .name = "dispatch",
      .doc = "JAX: dot(x, x) + 3 of a random matrix: what issuing, waiting and copying take.",
      .results = {
          {"dispatch_seconds", "until the call has returned"},
          {"dispatch_cpu_seconds", "the same, CPU time of the whole process"},
          {"shape_seconds", "until shape and type have been read, too"},
          {"passed_on_seconds", "until two further operations have taken the result, too"},
          {"block_seconds", "until the result is computed"},
          {"block_cpu_seconds", "the same, CPU time of the whole process"},
          {"copy_seconds", "until the result is on the host"},
          {"copy_cpu_seconds", "the same, CPU time of the whole process"},
          {"shape_known_before_result", "shape and type were right while nothing was computed"},
          {"passed_on_before_result", "the two operations were issued while nothing was computed"},
          {"queue_issue_seconds", "queue.operations products: until all have been issued"},
          {"queue_total_seconds", "until all have been computed"},
          {"queue_operations_peak", "most of them in flight, when each takes its share of that"}}};
}

ExperimentKind matmul_loop() {
  return {
      .name = "matmul_loop",
      .doc = "Paddle: random matrices and their products in a loop, on device and host.",
      .results = {{"without_wait_seconds", "the loop on the device, without a wait at its end"},
                  {"with_wait_seconds", "the same with a wait at its end"},
                  {"host_seconds", "the same loop on the host, where each call computes"},
                  {"with_over_host", "with_wait_seconds over host_seconds of the same repeat"}}};
}

ExperimentKind queued_finished() {
  return {.name = "queued_finished",
          .doc = "MXNet: a random matrix, its product with itself, the sum: queued, and finished.",
          .results = {{"queued_seconds", "until all has been issued, from the start"},
                      {"finished_seconds", "until the sum has been read, from the start"}}};
}

ExperimentKind sync_functions() {
  return {
      .name = "sync_functions",
      .doc = "MXNet: after a product, what each function that needs its result takes.",
      .results = {{"execution_seconds", "the product alone, issued and computed"},
                  {"loss_ready_seconds", "product and wait until it is computed (wait_to_read)"},
                  {"all_seconds", "product and wait for all that was issued (waitall)"},
                  {"host_copy_seconds", "product and copy to the host (asnumpy)"},
                  {"loss_value_seconds", "product and its sum as a number (asscalar)"},
                  {"print_seconds", "product and its sum printed"},
                  {"save_seconds", "product and its serialisation"},
                  {"implicit_conversion_seconds", "product, assigned to a tensor of the host"},
                  {"issue_seconds", "product, and nothing that needs it"},
                  {"shape_seconds", "product, and its shape read"},
                  {"operation_seconds", "product, and one more operation on it"}}};
}

ExperimentKind increment() {
  return {
      .name = "increment",
      .doc = "MXNet: y = x + 1, waiting each time and once, against n(t1+t2+t3) and t1+n*t2+t3.",
      .results = {
          {"independent", "y = x + 1, all of the same x; its keys are those below"},
          {"chained", "x = x + 1, each of the last; its keys are those below"},
          {"*.t1_seconds, t2_seconds, t3_seconds",
           "fitted to the least times of fitted_operations"},
          {"*.bottleneck", "front_end where t2 < t1, else back_end"},
          {"*.runs[].operations", "n"},
          {"*.runs[].waited_each_seconds", "waiting after each"},
          {"*.runs[].waited_once_seconds", "waiting once at the end"},
          {"*.runs[].issue_seconds", "of the latter, until all have been issued"},
          {"*.runs[].predicted_each_seconds", "n(t1+t2+t3) of these costs"},
          {"*.runs[].predicted_once_seconds", "likewise t1+n*t2+t3, or n*t1+t2+t3 where t2 < t1"},
          {"*.runs[].error_each, error_once",
           "the least time measured over the predicted one, less 1"}}};
}

ExperimentKind graph() {
  return {.name = "graph",
          .doc = "Paddle: z = x * y + 2 and a wider graph: the dependencies that are tracked.",
          .results = {{"z", "the result, read back"},
                      {"z_as_expected", "every element was 3, each time"},
                      {"issue_seconds", "until z has been issued"},
                      {"read_seconds", "until z has been read"},
                      {"wide_seconds", "the wide graph, issued and computed"},
                      {"operations, dependencies",
                       "of the graph of z; null, as all that follows, "
                       "where no engine tells of it"},
                      {"text", "this graph, a line an operation"},
                      {"dot", "the same for Graphviz"},
                      {"svg", "the same as a picture"},
                      {"order_kept",
                       "in no schedule of both graphs an operation began before one "
                       "that it depends on had ended"},
                      {"orders", "different orders in which the wide graph's operations began"},
                      {"parallel_peak", "most operations of the wide graph at once"}}};
}

ExperimentKind data_iter() {
  return {.name = "data_iter",
          .doc = "MXNet: the generator of batches alone, consumed with and without waits.",
          .results = {{"without_wait_made_seconds", "until the last batch existed"},
                      {"without_wait_total_seconds", "until all were computed"},
                      {"with_wait_made_seconds, with_wait_total_seconds", "waiting for each batch"},
                      {"batches", "after each of these batches the time was taken"},
                      {"without_wait_elapsed_seconds, with_wait_elapsed_seconds",
                       "these times, of the last repeat"}}};
}

ExperimentKind train() {
  return {.name = "train",
          .doc = "Trains a model and measures time, memory and backlog under one sync policy.",
          .has_model = true,
          .trains = true,
          .results = {{"logged_losses",
                       "means of log_every losses each, the latest 1,000; absent without it"}}};
}

ExperimentKind predict() {
  return {.name = "predict",
          .doc = "The model forward only, its outputs kept or dropped, under one sync policy.",
          .has_model = true,
          .results = {{"output_bytes", "outputs of one batch"},
                      {"kept_bytes", "outputs that the program held in the end"}}};
}

ExperimentKind exercise() {
  return {.name = "exercise",
          .doc = "MXNet's exercises: asynchrony on the CPU; t2/t1 swept across 1.",
          .results = {{"asynchrony_observed", "whether issuing took under half of all, anywhere"},
                      {"sizes[].elements", "of x in y = x + 1"},
                      {"sizes[].*", "as increment's"},
                      {"sizes[].t2_over_t1", "what the exercise assumes to be above 999/1000"},
                      {"sizes[].fitting_formula",
                       "back_end: t1+n*t2+t3 is the nearer; front_end: "
                       "n*t1+t2+t3"}}};
}

ExperimentKind front_end() {
  return {.name = "front_end",
          .doc = "Both chapters: a front-end delay in each batch, from 0 to twice t2.",
          .has_model = true,
          .trains = true,
          .results = {{"t1_seconds, t2_seconds", "of a batch without a delay"},
                      {"delays[].percent", "of t2"},
                      {"delays[].delay_seconds", "added to each batch"},
                      {"delays[].total_seconds", "all batches, until the device is idle"},
                      {"delays[].seconds_per_batch", "the same, a batch"}}};
}

ExperimentKind launch_queue() {
  return {
      .name = "launch_queue",
      .doc = "How many launches the front end can run ahead of a device before launching blocks.",
      .has_tutorial = false,
      .results = {
          {"depth",
           "launches queued behind the work that holds the device when the next one "
           "blocked; null: none did"},
          {"depth_unknown_because", "why none did, in a repeat where it was so; else null"},
          {"launches", "that were queued without blocking"},
          {"launch_seconds", "one of these, the median of the repeat; null: there were none"},
          {"blocked_seconds", "the one that blocked; null: none did"},
          {"kept_bytes",
           "of the device's memory, what the queued launches keep: growth of claimed "
           "bytes, on cuda of the allocator's active bytes"}}};
}

}  // namespace

const std::vector<ExperimentKind>& experiment_kinds() {
  static const std::vector<ExperimentKind> kinds{
      dispatch(),  matmul_loop(), queued_finished(), sync_functions(), increment(), graph(),
      data_iter(), train(),       predict(),         exercise(),       front_end(), launch_queue()};
  return kinds;
}

const ExperimentKind& kind_of(const std::string& name) {
  const auto& kinds = experiment_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&name](const ExperimentKind& kind) {
    return kind.name == name;
  });
  RUNAHEAD_REQUIRE(found != kinds.end(), "there is no experiment '" + name + "'");
  return *found;
}

}  // namespace runahead::config
