#include "core/device/torch/autograd_threads.h"

#include <c10/core/AutogradState.h>
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

void run_backward_in_this_thread() noexcept {
  c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
}

}  // namespace runahead::device
