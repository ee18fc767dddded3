#include "core/device/torch/generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/DeviceType.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <utility>

#include "core/device/runtime.h"

namespace runahead::device {
namespace {

// Releases a mutex while it lives, if the calling thread holds it. LibTorch's callers lock a
// generator's mutex, in Python with the interpreter lock held: a wait that released only the latter
// would have to reacquire it from a thread that waits for the former.
class MutexLetGo {
 public:
  explicit MutexLetGo(std::mutex& mutex) : mutex_(is_owner(mutex) ? &mutex : nullptr) {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  ~MutexLetGo() {
    if (mutex_ != nullptr) mutex_->lock();
  }
  MutexLetGo(const MutexLetGo&) = delete;
  MutexLetGo& operator=(const MutexLetGo&) = delete;

 private:
  // The C++ library does not report it; glibc stores the owner in every mutex.
  static bool is_owner(std::mutex& mutex) {
    return mutex.native_handle()->__data.__owner == static_cast<int>(::syscall(SYS_gettid));
  }

  std::mutex* const mutex_;
};

}  // namespace

GeneratorImpl::GeneratorImpl(at::Generator host_generator)
    : c10::GeneratorImpl(c10::Device(c10::DeviceType::PrivateUse1, 0),
                         c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
      host_generator_(std::move(host_generator)) {}

void GeneratorImpl::set_current_seed(std::uint64_t seed) {
  const MutexLetGo unlocked(mutex_);  // The push may block at the run-ahead limit.
  Runtime::get().push(
      {.name = "manual_seed",
       .body = [generator = host_generator_, seed]() mutable { generator.set_current_seed(seed); },
       .accesses = {{variable_, engine::AccessMode::kOrder}}});
  seed_ = seed;
}

void GeneratorImpl::set_offset(std::uint64_t offset) {
  TORCH_CHECK_NOT_IMPLEMENTED(offset == 0,
                              "acpu: its generator, like the CPU's, has no offset, but ", offset,
                              " was requested; set its state instead");
}

std::uint64_t GeneratorImpl::get_offset() const { return 0; }

std::uint64_t GeneratorImpl::current_seed() const { return seed_; }

std::uint64_t GeneratorImpl::seed() {
  const std::uint64_t random = c10::detail::getNonDeterministicRandom();
  set_current_seed(random);
  return random;
}

void GeneratorImpl::set_state(const c10::TensorImpl& state) {
  at::Generator given = at::detail::createCPUGenerator();
  given.unsafeGetGeneratorImpl()->set_state(state);  // Checks it.
  const MutexLetGo unlocked(mutex_);
  Runtime::get().push({.name = "set_state",
                       .body = [generator = host_generator_,
                                copy = given.get_state()]() mutable { generator.set_state(copy); },
                       .accesses = {{variable_, engine::AccessMode::kOrder}}});
  seed_ = given.current_seed();
}

c10::intrusive_ptr<c10::TensorImpl> GeneratorImpl::get_state() const {
  using State = c10::intrusive_ptr<c10::TensorImpl>;
  return run_in_order<State>("get_state", [](at::Generator& generator) {
    return generator.unsafeGetGeneratorImpl()->get_state();
  });
}

GeneratorImpl& GeneratorImpl::of(const at::Generator& generator) {
  auto* found = dynamic_cast<GeneratorImpl*>(generator.unsafeGetGeneratorImpl());
  TORCH_CHECK(found != nullptr, "Expected a generator of device acpu but found one of ",
              generator.device());
  return *found;
}

GeneratorImpl* GeneratorImpl::clone_impl() const {
  auto* clone = new GeneratorImpl(run_in_order<at::Generator>(
      "clone_generator", [](at::Generator& generator) { return generator.clone(); }));
  clone->seed_ = seed_.load();
  return clone;
}

template <typename Result>
Result GeneratorImpl::run_in_order(const char* name,
                                   std::function<Result(at::Generator&)> use) const {
  Runtime& runtime = Runtime::get();
  at::Generator generator = host_generator_;
  // Before the first use of the engine, which waits while the device is configured.
  const MutexLetGo unlocked(const_cast<GeneratorImpl*>(this)->mutex_);
  if (runtime.engine()->is_running_here()) return use(generator);
  // Shared, because an interrupted wait leaves the operation in the queue.
  const auto task = std::make_shared<std::packaged_task<Result()>>(
      [use = std::move(use), generator]() mutable { return use(generator); });
  std::future<Result> result = task->get_future();
  runtime.push({.name = name,
                .body = [task] { (*task)(); },
                .accesses = {{variable_, engine::AccessMode::kOrder}}});
  runtime.engine()->wait_for(variable_);
  const bool is_dropped = result.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  if (is_dropped) (*task)();
  return result.get();
}

at::Generator make_generator() {
  return at::make_generator<GeneratorImpl>(at::detail::createCPUGenerator());
}

}  // namespace runahead::device
