// Streams through LibTorch's own generic ones. What streams and events order is in
// tests/core/engine/engine_stream_test.cpp and tests/python/streams_test.py, and training on
// several in models_test.cpp.
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>

#include <set>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace stream_test {

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

}  // namespace stream_test
}  // namespace runahead::device
