#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <torch/types.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "core/experiment/stopwatch.h"
#include "core/experiment/timed_program.h"
#include "core/train/wait.h"

namespace runahead::experiment {
namespace {

using torch::Tensor;
using train::WaitKind;

/// `sync_functions`: times, after a product of a uniformly random `size` × `size` matrix with
/// itself, each function that needs its result, and three operations that do not.
class SyncFunctionsExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

 protected:
  void set_up() override {
    const std::int64_t size = program().size;
    x_ = at::rand({size, size}, options());
    on_host_ = at::empty({size, size}, torch::kFloat32);
    add_waits();
    functions_.push_back({"implicit_conversion_seconds",
                          [this](const Tensor& product) { on_host_.copy_(product); }});
    functions_.push_back({"issue_seconds", [](const Tensor&) {}});
    functions_.push_back(
        {"shape_seconds", [](const Tensor& product) { static_cast<void>(product.sizes()); }});
    functions_.push_back(
        {"operation_seconds", [](const Tensor& product) { static_cast<void>(product + 1); }});
  }

  void run_once(Repeat& repeat) override {
    printed_.str("");
    repeat.measure("execution_seconds", execution_seconds());
    for (const Function& function : functions_) {
      const Stopwatch watch;
      const Tensor product = at::mm(x_, x_);
      function.call(product);
      repeat.measure(function.key, watch.seconds());
      back_end().synchronize();
    }
  }

 private:
  struct Function {
    std::string key{};
    std::function<void(const torch::Tensor& product)> call{};
  };

  /// Seconds until a mark after the product is passed, measured with none of the functions.
  [[nodiscard]] double execution_seconds() {
    const Stopwatch watch;
    const Tensor product = at::mm(x_, x_);
    back_end().mark()->wait();
    return watch.seconds();
  }

  /// The waits of the training loop. Those for a number take the product's sum.
  void add_waits() {
    for (const WaitKind kind : {WaitKind::kLossReady, WaitKind::kAll, WaitKind::kHostCopy,
                                WaitKind::kLossValue, WaitKind::kPrint, WaitKind::kSave}) {
      const bool takes_a_number = kind == WaitKind::kLossValue || kind == WaitKind::kPrint;
      functions_.push_back(
          {train::name_of(kind) + "_seconds",
           [takes_a_number, wait = train::make_wait(kind, back_end(), printed_)](
               const Tensor& product) { wait(takes_a_number ? product.sum() : product); }});
    }
  }

  torch::Tensor x_{};
  torch::Tensor on_host_{};
  std::ostringstream printed_{};
  std::vector<Function> functions_{};
};

}  // namespace

std::unique_ptr<Experiment> make_sync_functions(const ExperimentContext& context) {
  return std::make_unique<SyncFunctionsExperiment>(context);
}

}  // namespace runahead::experiment
