// Copies to a device on its streams, on `acpu`: what each kind overlaps with and what it waits for.
// Method: one worker is held at a gate by an operation of one stream, the other executes whatever
// may run; once it has run what was issued last, all that could run has.
#include "core/train/device_copies.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device_fixture.h"
#include "support/gate.h"

namespace runahead::train {
namespace device_copies_test {

using device::Runtime;
using test::Gate;

class DeviceCopiesTest : public device::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    device::configure({.workers = 2});
  }

  static Batch batch_of(float value) {
    return {.inputs = torch::full({2, 3}, value), .targets = torch::full({2}, -value)};
  }
  static bool holds(const Batch& batch, float value) {
    return batch.inputs.cpu().equal(torch::full({2, 3}, value)) &&
           batch.targets.cpu().equal(torch::full({2}, -value));
  }

  [[nodiscard]] static c10::impl::VirtualGuardImpl guard() {
    return c10::impl::VirtualGuardImpl(c10::DeviceType::PrivateUse1);
  }
  [[nodiscard]] c10::Stream compute() const { return guard().getStream(acpu_); }

  /// What is issued on `stream` until now, as an event.
  static c10::Event mark(const c10::Stream& stream) {
    c10::Event event(stream.device_type());
    event.record(stream);
    return event;
  }

  /// Holds what is issued on `stream` next, and a worker, until the gate opens.
  void hold(const c10::Stream& stream, Gate& gate) {
    {
      const c10::StreamGuard on_stream(stream);
      Runtime::get().push({.name = "held", .body = [&gate] { gate.pass(); }});
    }
    held_.emplace(mark(stream));
  }

  /// Waits for all that was issued on `stream`. @return whether it did not wait for what is held.
  bool runs_meanwhile(const c10::Stream& stream) {
    mark(stream).synchronize();
    return !held_->query();
  }

  /// Whether all that was issued on `stream` has run, when all that could run has.
  bool could_run(const c10::Stream& stream) {
    const c10::Event issued = mark(stream);
    const c10::Stream last = guard().getStreamFromGlobalPool(acpu_);
    {
      const c10::StreamGuard on_last(last);
      static_cast<void>(torch::ones({1}, acpu_));
    }
    mark(last).synchronize();
    return issued.query();
  }

  std::vector<std::unique_ptr<DeviceCopies>> every_kind() const {
    std::vector<std::unique_ptr<DeviceCopies>> kinds;
    kinds.push_back(std::make_unique<InOrderCopies>(acpu_));
    kinds.push_back(std::make_unique<RecordStreamCopies>(acpu_));
    kinds.push_back(std::make_unique<ReuseCopies>(acpu_, ReuseOptions{.buffers = 2}));
    return kinds;
  }

  std::optional<c10::Event> held_{};  ///< Passes with what is held.
};

TEST_F(DeviceCopiesTest, ASideStreamCopiesWhileTheComputeStreamIsHeld) {
  RecordStreamCopies copies(acpu_);
  Gate gate;
  hold(compute(), gate);

  static_cast<void>(copies.copy(batch_of(1), true));

  EXPECT_NE(copies.stream(), compute());
  EXPECT_TRUE(runs_meanwhile(copies.stream()));
  EXPECT_FALSE(could_run(compute()));
  gate.open();
  mark(compute()).synchronize();
}

TEST_F(DeviceCopiesTest, TheComputeStreamStartsNothingBeforeTheCopyOfASideStream) {
  for (const auto& copies : every_kind()) {
    if (copies->stream() == compute()) continue;
    Gate gate;
    hold(copies->stream(), gate);
    static_cast<void>(copies->copy(batch_of(1), true));
    static_cast<void>(torch::ones({1}, acpu_));

    EXPECT_FALSE(could_run(compute()));
    gate.open();
    mark(compute()).synchronize();
  }
}

// The work on the last of some batches is held. The next batches are copied, until one that goes
// into a buffer whose work may be held. If batches are asked for ahead, the work on an earlier one
// may have been issued as late.
TEST_F(DeviceCopiesTest, ReuseWaitsOnlyForTheWorkOnABuffersLastBatch) {
  struct Case {
    ReuseOptions options;
    int before = 0;
    int copied = 0;
  };
  for (const auto& [options, before, copied] :
       {Case{{.buffers = 2}, 1, 1}, Case{{.buffers = 3}, 2, 2},
        Case{{.buffers = 3, .ahead = 1}, 2, 1}}) {
    SCOPED_TRACE(std::to_string(options.buffers) + ", " + std::to_string(options.ahead));
    ReuseCopies copies(acpu_, options);
    Gate gate;
    for (int i = 0; i < before; ++i) static_cast<void>(copies.copy(batch_of(0), true));
    hold(compute(), gate);
    for (int i = 0; i < copied; ++i) {
      static_cast<void>(copies.copy(batch_of(1), true));
      EXPECT_TRUE(runs_meanwhile(copies.stream()));
    }
    const Batch last = copies.copy(batch_of(2), true);
    EXPECT_FALSE(could_run(copies.stream()));

    gate.open();
    mark(copies.stream()).synchronize();
    EXPECT_TRUE(holds(last, 2));
  }
}

}  // namespace device_copies_test
}  // namespace runahead::train
