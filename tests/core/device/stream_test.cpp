#include <ATen/core/Generator.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "core/device/device_fixture.h"
#include "core/device/torch/generator.h"

namespace runahead::device {
namespace stream_test {

// Streams through LibTorch's own generic ones. What streams and events order is in
// tests/core/engine/engine_stream_test.cpp and tests/python/streams_test.py, and training on
// several in models_test.cpp.

class Streams : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    configure({.workers = 2});
  }
  [[nodiscard]] static c10::impl::VirtualGuardImpl registered_guard() {
    register_device();
    return c10::impl::VirtualGuardImpl(at::kPrivateUse1);
  }

  const c10::impl::VirtualGuardImpl guard_ = registered_guard();
  const c10::Stream default_ = guard_.getDefaultStream(acpu_);
  const c10::Stream side_ = guard_.getStreamFromGlobalPool(acpu_);
};

TEST_F(Streams, ThePoolsAreHandedOutInTurn) {
  constexpr std::size_t kPoolSize = device::Streams::kPoolSize;
  std::set<c10::StreamId> usual;
  std::set<c10::StreamId> urgent;
  for (std::size_t i = 0; i < 2 * kPoolSize; ++i) {
    usual.insert(guard_.getNewStream(acpu_).id());
    urgent.insert(guard_.getNewStream(acpu_, -1).id());
  }

  EXPECT_EQ(usual.size(), kPoolSize);
  EXPECT_EQ(urgent.size(), kPoolSize);
  usual.merge(urgent);
  EXPECT_EQ(usual.size(), 2 * kPoolSize);
  EXPECT_FALSE(usual.contains(default_.id()));
}

// Operations of one stream may go before earlier ones of another.
TEST_F(Streams, OnceOneIsUsedAllThatIsClaimedIsCommittedUntilTheNextConfiguration) {
  configure({});
  EXPECT_TRUE(predicts_high_water_mark());
  const c10::StreamGuard on_side(side_);
  static_cast<void>(torch::ones({4}, acpu_));
  EXPECT_FALSE(predicts_high_water_mark());
  configure({});
  EXPECT_TRUE(predicts_high_water_mark());
}

TEST_F(Streams, SynchronizingOneReportsAnErrorOnceAndAnEventNone) {
  const c10::StreamGuard on_side(side_);
  Runtime::get().push({.name = "fails", .body = [] { throw Error("by intent"); }});
  c10::Event event(at::kPrivateUse1, c10::EventFlag::BACKEND_DEFAULT);
  event.record(side_);
  event.synchronize();

  EXPECT_THROW(side_.synchronize(), engine::OperationError);
  EXPECT_NO_THROW(side_.synchronize());
}

TEST_F(Streams, ReadyOperationsOfOneOfHighPriorityStartFirst) {
  configure({.workers = 1});
  const c10::Stream urgent = guard_.getStreamFromGlobalPool(acpu_, true);
  std::vector<int> started;
  WorkerGate gate;
  for (const int i : {1, 2}) {
    Runtime::get().push({.name = "usual", .body = [&, i] { started.push_back(i); }});
  }
  {
    const c10::StreamGuard on_urgent(urgent);
    Runtime::get().push({.name = "urgent", .body = [&] { started.push_back(0); }});
  }
  gate.open();
  synchronize();

  EXPECT_EQ(started, (std::vector<int>{0, 1, 2}));
}

// Goal: a thread that waits for the device holds no generator's mutex, which LibTorch's callers in
// Python lock with the interpreter lock held. Method: a gate holds a worker while one thread
// configures the device; another then reads a generator's state, as LibTorch does, and the hook
// that releases the interpreter lock says when it waits.

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

}  // namespace stream_test
}  // namespace runahead::device
