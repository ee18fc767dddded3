#pragma once

#include <torch/types.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "core/experiment/timed_program.h"

namespace runahead::experiment {

/// `sync_functions`: after a product of a uniformly random `size` × `size` matrix with itself, each
/// function that needs its result, and three things that do not.
class SyncFunctionsExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;

 private:
  struct Function {
    std::string key{};
    std::function<void(const torch::Tensor& product)> call{};
  };

  [[nodiscard]] double execution_seconds();
  void add_waits();

  torch::Tensor x_{};
  torch::Tensor on_host_{};
  std::ostringstream printed_{};
  std::vector<Function> functions_{};
};

}  // namespace runahead::experiment
