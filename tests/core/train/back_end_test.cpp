// The back ends of `acpu` (marks of its engine) and of devices with events, which `acpu` has too:
// what they wait for, seen behind a gate that holds the worker.
#include "core/train/back_end.h"

#include <gtest/gtest.h>

#include <latch>

#include "core/device/device_fixture.h"
#include "core/train/event_back_end.h"

namespace runahead::train {
namespace back_end_test {

using device::DeviceTest;
using device::WorkerGate;

class BackEndTest : public DeviceTest {
 protected:
  torch::Tensor issue_one() { return torch::ones({2}, acpu_) + 1; }
};

TEST_F(BackEndTest, OnlyAcpuHoldsOperationsAtTheirAdmission) {
  EXPECT_TRUE(make_back_end(acpu_)->holds_at_admission());
  EXPECT_FALSE(make_back_end(torch::kCPU)->holds_at_admission());
  EXPECT_FALSE(EventBackEnd(acpu_).holds_at_admission()) << "as it serves cuda";
}

TEST_F(BackEndTest, MarkFinishesWhenWhatWasIssuedBeforeHas) {
  const auto marks = make_back_end(acpu_);
  EventBackEnd events(acpu_);
  for (BackEnd* const back_end : {marks.get(), static_cast<BackEnd*>(&events)}) {
    WorkerGate gate;
    issue_one();
    std::latch notified{1};
    const auto mark = back_end->mark([&notified](TimePoint) { notified.count_down(); });
    EXPECT_FALSE(mark->is_finished());
    EXPECT_FALSE(notified.try_wait());

    gate.open();
    mark->wait();
    EXPECT_TRUE(mark->is_finished());
    back_end->synchronize();
    notified.wait();
  }
}

TEST_F(BackEndTest, WaitForATensorWaitsForNothingElse) {
  device::configure({.workers = 2});
  const auto back_end = make_back_end(acpu_);
  WorkerGate gate(1);

  back_end->wait_until_computed(issue_one());

  EXPECT_GE(device::backlog().operations, 1);
}

TEST_F(BackEndTest, EventsAreReportedInTheirOrderWithTheirTimes) {
  EventBackEnd back_end(acpu_);
  const TimePoint begun = Clock::now();
  std::vector<int> order;
  std::vector<TimePoint> times;
  for (int i = 0; i < 3; ++i) {
    issue_one();
    back_end.mark([&, i](TimePoint time) {
      order.push_back(i);
      times.push_back(time);
    });
  }

  back_end.synchronize();

  // The origin of an event's time is known to some microseconds.
  const auto slack = std::chrono::milliseconds(50);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_GE(times.front(), begun - slack);
  EXPECT_LE(times.back(), Clock::now() + slack);
}

}  // namespace back_end_test
}  // namespace runahead::train
