#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/experiment/stopwatch.h"
#include "core/experiment/timed_program.h"
#include "core/trace/graph_recorder.h"
#include "core/trace/graph_text.h"

namespace runahead::experiment {
namespace {

using torch::Tensor;

std::size_t hash_of(const std::vector<std::size_t>& order) {
  std::string text;
  for (const std::size_t operation : order) text += std::to_string(operation) + " ";
  return std::hash<std::string>()(text);
}

/// `graph`: Paddle's x = ones((1, 2)); y = ones((1, 2)); z = x * y + 2, and a wide graph:
/// `branches` chains of `branch_operations` products each, added up at the end. Both run
/// `schedules` times. The dependencies are those that the engine saw; the order is that in which it
/// ran the operations. Where no engine reports them (`cpu`, `cuda`), only results and times are
/// measured.
class GraphExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

  [[nodiscard]] std::shared_ptr<engine::Observer> engine_observer() const override {
    return recorder_;
  }

 protected:
  void set_up() override {
    const auto size = static_cast<double>(program().size);
    // Its rows sum to about 1, so that products of any length keep their magnitude.
    factor_ = at::rand({program().size, program().size}, options()) * (2.0 / size);
  }

  void run_once(Repeat& repeat) override {
    time_chapter(repeat);
    record_chapter(repeat);
    run_wide(repeat);
  }

  [[nodiscard]] std::int64_t repeats() const override { return program().schedules; }
  void forget_warmup() override { orders_.clear(); }

 private:
  [[nodiscard]] torch::Tensor chapter() const {
    const Tensor x = at::ones({1, 2}, options());
    const Tensor y = at::ones({1, 2}, options());
    return x * y + 2;
  }

  void time_chapter(Repeat& repeat) {
    const Stopwatch watch;
    const Tensor z = chapter();
    repeat.measure("issue_seconds", watch.seconds());
    const Tensor read = z.to(torch::kCPU);
    repeat.measure("read_seconds", watch.seconds());
    repeat.observe("z_as_expected", read.eq(3).all().item().toBool());
    repeat.keep("z", {read[0][0].item().toDouble(), read[0][1].item().toDouble()});
  }

  void record_chapter(Repeat& repeat) {
    recorder_->start();
    static_cast<void>(chapter());
    back_end().synchronize();
    keep_graph(recorder_->stop(), repeat);
  }

  void run_wide(Repeat& repeat) {
    std::vector<Tensor> branches(static_cast<std::size_t>(program().branches), factor_);
    recorder_->start();
    const Stopwatch watch;
    for (std::int64_t i = 0; i < program().branch_operations; ++i) {
      for (Tensor& branch : branches) branch = at::mm(branch, factor_);
    }
    Tensor sum = branches.front();
    for (std::size_t i = 1; i < branches.size(); ++i) sum = sum + branches[i];
    back_end().synchronize();
    repeat.measure("wide_seconds", watch.seconds());

    const trace::DependencyGraph graph = recorder_->stop();
    if (!sees_operations()) return;
    orders_.insert(hash_of(trace::order_of_begins(graph)));
    repeat.observe("order_kept", trace::is_order_kept(graph));
    repeat.keep("orders", orders_.size());
    repeat.measure("parallel_peak", static_cast<double>(trace::parallel_peak(graph)));
  }

  void keep_graph(const trace::DependencyGraph& graph, Repeat& repeat) const {
    if (!sees_operations()) {
      for (const char* key : {"operations", "dependencies", "text", "dot", "svg", "order_kept",
                              "orders", "parallel_peak"}) {
        repeat.keep(key, nullptr);
      }
      return;
    }
    repeat.keep("operations", graph.operations.size());
    repeat.keep("dependencies", graph.dependencies.size());
    repeat.keep("text", trace::graph_text(graph));
    repeat.keep("dot", trace::graph_dot(graph));
    repeat.keep("svg", trace::graph_svg(graph));
    repeat.observe("order_kept", trace::is_order_kept(graph));
  }

  [[nodiscard]] bool sees_operations() const { return session().executors() > 0; }

  std::shared_ptr<trace::GraphRecorder> recorder_ = std::make_shared<trace::GraphRecorder>();
  torch::Tensor factor_{};
  std::unordered_set<std::size_t> orders_{};  ///< Hashes of the orders seen.
};

}  // namespace

std::unique_ptr<Experiment> make_graph(const ExperimentContext& context) {
  return std::make_unique<GraphExperiment>(context);
}

}  // namespace runahead::experiment
