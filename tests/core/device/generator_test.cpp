// Goal: a thread that waits for the device holds no generator's mutex, which LibTorch's callers in
// Python lock with the interpreter lock held. Method: a gate holds a worker while one thread
// configures the device; another then reads a generator's state, as LibTorch does, and the hook
// that releases the interpreter lock says when it waits.

#include <ATen/core/Generator.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "core/device/device_fixture.h"
#include "core/device/torch/generator.h"

namespace runahead::device {
namespace {

thread_local std::atomic<bool>* waits_here = nullptr;

void* note_wait() noexcept {
  if (waits_here != nullptr) {
    waits_here->store(true);
    waits_here->notify_all();
  }
  return nullptr;
}

class Generators : public DeviceTest {};

TEST_F(Generators, MayBeLockedWhileAThreadThatReadsTheirStateWaitsForTheDeviceToBeConfigured) {
  configure({.wait_hooks = {.before = note_wait, .after = [](void*) noexcept {}}});
  at::Generator generator = make_generator();
  WorkerGate gate;
  std::jthread configures([] { configure({}); });
  std::atomic<bool> is_configuring{false};
  std::jthread looks([&] {  // It waits only for the settings.
    waits_here = &is_configuring;
    while (!is_configuring.load()) static_cast<void>(backlog());
  });
  is_configuring.wait(false);

  std::atomic<bool> is_waiting{false};
  std::jthread reads([&] {
    waits_here = &is_waiting;
    const std::lock_guard lock(generator.mutex());
    static_cast<void>(generator.get_state());
  });
  is_waiting.wait(false);
  EXPECT_TRUE(std::unique_lock(generator.mutex(), std::try_to_lock).owns_lock());
  gate.open();
}

}  // namespace
}  // namespace runahead::device
