#pragma once

#include <cstddef>
#include <memory>
#include <unordered_set>

#include "core/experiment/timed_program.h"
#include "core/trace/graph_recorder.h"

namespace runahead::experiment {

/// `graph`: Paddle's x = ones((1, 2)); y = ones((1, 2)); z = x * y + 2, and a wide graph:
/// `branches` chains of `branch_operations` products each, added up in the end. Both run
/// `schedules` times; the dependencies are those that the engine was told of, the order is that in
/// which it ran the operations. Where no engine tells (`cpu`, `cuda`) only results and times are
/// measured.
class GraphExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

  [[nodiscard]] std::shared_ptr<engine::Observer> engine_observer() const override {
    return recorder_;
  }

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;
  [[nodiscard]] std::int64_t repeats() const override { return program().schedules; }
  void forget_warmup() override { orders_.clear(); }

 private:
  [[nodiscard]] torch::Tensor chapter() const;
  void time_chapter(Repeat& repeat);
  void record_chapter(Repeat& repeat);
  void run_wide(Repeat& repeat);
  void keep_graph(const trace::DependencyGraph& graph, Repeat& repeat) const;
  [[nodiscard]] bool is_told_of_operations() const { return session().executors() > 0; }

  std::shared_ptr<trace::GraphRecorder> recorder_ = std::make_shared<trace::GraphRecorder>();
  torch::Tensor factor_{};
  std::unordered_set<std::size_t> orders_{};  ///< Hashes of the orders seen.
};

}  // namespace runahead::experiment
