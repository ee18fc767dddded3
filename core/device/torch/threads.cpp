#include "core/device/torch/threads.h"

#include <ATen/Parallel.h>
#include <c10/core/AutogradState.h>
#include <dlfcn.h>
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

using SetOmpThreads = void (*)(int);
using SetMklThreads = int (*)(int);

// A function of LibTorch or of a library that it is linked to, such as its own OpenMP, of which a
// process may have several. Null if there is none.
template <typename Function>
Function function_of_libtorch(const char* name) {
  Dl_info libtorch{};
  const auto address = reinterpret_cast<const void*>(&at::set_num_threads);
  if (dladdr(address, &libtorch) == 0) return nullptr;
  void* const library = dlopen(libtorch.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  const auto function = reinterpret_cast<Function>(dlsym(library, name));
  dlclose(library);  // LibTorch stays loaded.
  return function;
}

}  // namespace

void ensure_autograd_thread() noexcept {
  static std::once_flag started;
  if (Runtime::find() == nullptr) return;  // A forked child: every use of the device throws there.
  std::call_once(started, AutogradEngine::start_threads);
}

void run_backward_in_this_thread() noexcept {
  c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
}

void set_own_intra_op_threads(int count) {
  // LibTorch initialises a thread at its first use, which would undo earlier settings.
  const int before = at::get_num_threads();
  const auto set_omp_threads = function_of_libtorch<SetOmpThreads>("omp_set_num_threads");
  if (set_omp_threads == nullptr) {
    if (count != before) at::set_num_threads(count);  // This LibTorch has no OpenMP.
    return;
  }
  set_omp_threads(count);
  const auto set_mkl_threads = function_of_libtorch<SetMklThreads>("MKL_Set_Num_Threads_Local");
  if (set_mkl_threads != nullptr) set_mkl_threads(count);
}

}  // namespace runahead::device
