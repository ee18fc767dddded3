// The process's one device and its registration with LibTorch: every global of the project is here,
// because LibTorch keeps its backends in globals.
#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <pthread.h>
#include <torch/library.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>

#include "core/base/error.h"
#include "core/device/device.h"
#include "core/device/dispatch/fallback.h"
#include "core/device/dispatch/hot_kernels.h"
#include "core/device/runtime.h"
#include "core/device/storage/allocator.h"
#include "core/device/torch/autocast.h"
#include "core/device/torch/guard.h"
#include "core/device/torch/hooks.h"
#include "core/device/torch/pinned_allocator.h"
#include "core/device/torch/registrations.h"

namespace runahead::device {
namespace {

constexpr const char* kBackendName = "acpu";

/// LibTorch makes compressed tensors of any device in these, without a call of the device.
constexpr std::array kMakersOfCompressedTensors{
    "_sparse_compressed_tensor_unsafe", "_sparse_csr_tensor_unsafe",
    "_sparse_csc_tensor_unsafe",        "_sparse_bsr_tensor_unsafe",
    "_sparse_bsc_tensor_unsafe",        "_sparse_compressed_tensor_with_dims"};

using Key = c10::DispatchKey;

/// For kernels of a namespace's operators (`_`: of all) on one key.
torch::Library library_of(const char* names, Key key) {
  return torch::Library(torch::Library::IMPL, names, key, __FILE__, __LINE__);
}

/// Everything LibTorch holds pointers to.
struct Registration {
  Runtime runtime{};
  Allocator allocator{runtime};
  Hooks hooks{runtime};
  GuardImpl guard{};
  torch::Library operators = library_of("aten", Key::PrivateUse1);
  torch::Library differentiable = library_of("aten", Key::AutogradPrivateUse1);
  // Copies carry conjugation and negation as the layouts do; LibTorch's own handling of the two
  // would clone first, which is itself a copy.
  torch::Library conjugates = library_of("aten", Key::Conjugate);
  torch::Library negatives = library_of("aten", Key::Negative);
  torch::Library others = library_of("_", Key::PrivateUse1);
  torch::Library sparse = library_of("_", Key::SparsePrivateUse1);
  torch::Library compressed = library_of("_", Key::SparseCsrPrivateUse1);
  torch::Library compressed_makers = library_of("aten", Key::SparseCsrPrivateUse1);
  torch::Library autocast = library_of("aten", Key::AutocastPrivateUse1);
  torch::Library not_autocast = library_of("_", Key::AutocastPrivateUse1);
  torch::Library nested = library_of("_", Key::NestedTensorPrivateUse1);
  torch::Library quantized = library_of("_", Key::QuantizedPrivateUse1);
};

std::once_flag registered_once;
// Never destroyed: tensors in static storage may outlive main, and LibTorch keeps pointers to it.
// Its engine is stopped at exit instead.
Registration* registration = nullptr;

// Null before registration, and in a forked child, where the engine's workers do not exist.
Runtime* usable_runtime = nullptr;
bool is_forked_child = false;

void note_fork_in_child() {
  usable_runtime = nullptr;
  is_forked_child = true;
}

// Hot kernels read it, and do not register the handler again.
void make_static_of_products() {
  static_cast<void>(
      at::globalContext().float32Precision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL));
}

void finish_at_exit() {
  if (usable_runtime == nullptr || usable_runtime->is_finished()) return;
  if (usable_runtime->engine()->is_running_here()) return;  // It can't wait for itself.
  try {
    finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "runahead: an error that no wait has reported: %s\n", error.what());
  } catch (...) {
    // The check of the program's wait hooks interrupted the wait.
  }
}

void refuse_second_registration() {
  if (c10::is_privateuse1_backend_registered() && c10::get_privateuse1_backend() != kBackendName) {
    throw UnavailableError("acpu can't be registered: this process has a PrivateUse1 backend, '" +
                           c10::get_privateuse1_backend() + "', and LibTorch allows one");
  }
  if (at::isPrivateUse1HooksRegistered()) {
    throw UnavailableError(
        "acpu can't be registered: another library of this process has registered a device in "
        "LibTorch, which takes one; link runahead into one binary only");
  }
}

void register_with_libtorch() {
  refuse_second_registration();
  c10::register_privateuse1_backend(kBackendName);
  registration = new Registration();
  c10::SetAllocator(c10::DeviceType::PrivateUse1, &registration->allocator);
  at::RegisterPrivateUse1HooksInterface(&registration->hooks);
  at::setHostAllocator(c10::DeviceType::PrivateUse1, &pinned_allocator());
  c10::impl::device_guard_impl_registry[static_cast<std::size_t>(c10::DeviceType::PrivateUse1)] =
      &registration->guard;
  register_tensor_kernels(registration->operators);
  register_copy_kernels(registration->operators);
  register_hot_elementwise(registration->operators);
  register_hot_updates(registration->operators);
  register_hot_matrix_products(registration->operators);
  register_hot_reductions(registration->operators);
  register_cpu_routes(registration->operators);
  register_differentiable_cpu_routes(registration->differentiable);
  register_recurrent_routes(registration->operators);
  register_recurrent_routes(registration->differentiable);
  // record_stream concerns memory, and LibTorch's fallback for such views would record a copy.
  for (const char* const name : {"_copy_from", "record_stream"}) {
    registration->conjugates.impl(name, torch::CppFunction::makeFallthrough());
    registration->negatives.impl(name, torch::CppFunction::makeFallthrough());
  }
  registration->others.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
  register_autocast(registration->autocast);
  registration->not_autocast.fallback(torch::CppFunction::makeFallthrough());
  for (torch::Library* layouts : {&registration->sparse, &registration->compressed,
                                  &registration->nested, &registration->quantized}) {
    layouts->fallback(torch::CppFunction::makeFromBoxedFunction<&refuse_other_layouts>());
  }
  for (const char* const maker : kMakersOfCompressedTensors) {
    registration->compressed_makers.impl(
        maker, torch::CppFunction::makeFromBoxedFunction<&refuse_other_layouts>());
  }
  usable_runtime = &registration->runtime;
  pthread_atfork(nullptr, nullptr, note_fork_in_child);
  make_static_of_products();
  Runtime::finish_before_statics();
}

}  // namespace

bool is_forked() noexcept { return is_forked_child; }

void Runtime::finish_before_statics() { std::atexit(finish_at_exit); }

Runtime* Runtime::find() noexcept { return usable_runtime; }

Runtime& Runtime::get() {
  if (usable_runtime != nullptr) [[likely]]
    return *usable_runtime;
  if (is_forked_child) {
    throw UnavailableError(
        "acpu can't be used in this process: it was forked after the device had started, and a "
        "fork does not take the device's workers along. Start processes with 'spawn', or fork "
        "before the device is registered (in Python: before `import runahead`)");
  }
  throw UsageError("the acpu device is not registered; call runahead::register_device() first");
}

}  // namespace runahead::device

namespace runahead {

void register_device() { std::call_once(device::registered_once, device::register_with_libtorch); }

}  // namespace runahead
