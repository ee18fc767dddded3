#include "core/device/torch/autograd_threads.h"

#include <torch/csrc/autograd/engine.h>

#include <mutex>

#include "core/device/runtime.h"

namespace runahead::device {
namespace {

/// LibTorch opens the engine's threads to derived classes only.
struct AutogradEngine : torch::autograd::Engine {
  static void start_threads() {
    Engine& engine = get_default_engine();
    engine.initialize_device_threads_pool();
    const bool has_none = (engine.*&AutogradEngine::device_ready_queues_).empty();
    if (has_none) (engine.*&AutogradEngine::start_device_threads)();
  }
};

}  // namespace

void ensure_autograd_thread() noexcept {
  static std::once_flag started;
  if (Runtime::find() == nullptr) return;  // A forked child: every use of the device throws there.
  std::call_once(started, AutogradEngine::start_threads);
}

bool is_in_backward() noexcept { return torch::autograd::get_current_node() != nullptr; }

}  // namespace runahead::device
