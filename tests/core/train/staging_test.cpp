#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/train/device_copies.h"
#include "core/train/staging.h"
#include "support/gate.h"

namespace runahead::train {
namespace staging_test {

using ::testing::ElementsAre;

/// Writes down which copies need not block.
class WrittenCopies final : public DeviceCopies {
 public:
  explicit WrittenCopies(std::vector<bool>& non_blocking) : non_blocking_(non_blocking) {}
  Batch copy(const Batch& staged, bool non_blocking) override {
    non_blocking_.push_back(non_blocking);
    return staged;
  }
  [[nodiscard]] c10::Stream stream() const override {
    return c10::impl::VirtualGuardImpl(c10::DeviceType::PrivateUse1)
        .getStream({c10::DeviceType::PrivateUse1, 0});
  }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch&) const override { return 0; }

 private:
  std::vector<bool>& non_blocking_;
};

std::vector<std::unique_ptr<DeviceCopies>> every_copy(const torch::Device& device) {
  std::vector<std::unique_ptr<DeviceCopies>> kinds;
  kinds.push_back(std::make_unique<InOrderCopies>(device));
  kinds.push_back(std::make_unique<RecordStreamCopies>(device));
  kinds.push_back(std::make_unique<ReuseCopies>(device, ReuseOptions{.buffers = 2}));
  return kinds;
}

class StagingOnDeviceTest : public device::DeviceTest {
 protected:
  static MakeHostTensor make() {
    return [](const torch::Tensor& like) { return torch::empty_like(like); };
  }
  static std::vector<std::unique_ptr<HostBuffers>> every_memory() {
    std::vector<std::unique_ptr<HostBuffers>> kinds;
    kinds.push_back(std::make_unique<PageableBuffers>());
    kinds.push_back(std::make_unique<FreshBuffers>(make()));
    kinds.push_back(std::make_unique<RingBuffers>(2, make()));
    return kinds;
  }
  static Batch ones() { return {.inputs = torch::ones({2, 1}), .targets = torch::ones({2, 1})}; }
};

TEST_F(StagingOnDeviceTest, AnyMemoryGoesWithAnyCopy) {
  for (std::size_t memory = 0; memory < every_memory().size(); ++memory) {
    for (std::size_t copy = 0; copy < every_copy(acpu_).size(); ++copy) {
      SCOPED_TRACE(std::to_string(memory) + ", " + std::to_string(copy));
      CopyStaging staging(std::move(every_memory()[memory]), std::move(every_copy(acpu_)[copy]));
      torch::Tensor sum = torch::zeros({2}, acpu_);
      const Batch host{.inputs = torch::zeros({2}), .targets = torch::zeros({2})};
      for (int i = 1; i <= 10; ++i) {
        host.inputs.fill_(i);  // As soon as to_device() has returned, they are the caller's.
        host.targets.fill_(10 * i);
        const Batch batch = staging.to_device(host);
        sum += batch.inputs + batch.targets;
      }
      EXPECT_TRUE(sum.cpu().equal(torch::full({2}, 55.0F * 11.0F)));
      for (int size = 3; size <= 5; ++size) {  // Into buffers that had another shape.
        const Batch wide = staging.to_device(
            {.inputs = torch::ones({size, 4}), .targets = torch::ones({size}, torch::kInt64)});
        EXPECT_TRUE(wide.inputs.cpu().equal(torch::ones({size, 4})));
        EXPECT_TRUE(wide.targets.cpu().equal(torch::ones({size}, torch::kInt64)));
      }
    }
  }
}

TEST_F(StagingOnDeviceTest, CopiesBlockFromMemoryThatTheCallerMayChange) {
  std::vector<bool> non_blocking;
  for (auto& memory : every_memory()) {
    CopyStaging staging(std::move(memory), std::make_unique<WrittenCopies>(non_blocking));
    static_cast<void>(staging.to_device(ones()));
  }

  EXPECT_THAT(non_blocking, ElementsAre(false, true, true)) << "pageable, fresh, a ring";
}

TEST_F(StagingOnDeviceTest, BytesKeptAreThoseOfFreshMemoryAndOfDeferredFrees) {
  const std::uint64_t bytes = bytes_of(ones());
  std::vector<std::uint64_t> kept;
  for (std::size_t memory = 0; memory < every_memory().size(); ++memory) {
    for (std::size_t copy = 0; copy < every_copy(acpu_).size(); ++copy) {
      CopyStaging staging(std::move(every_memory()[memory]), std::move(every_copy(acpu_)[copy]));
      kept.push_back(staging.to_device(ones()).kept_bytes);
    }
  }

  EXPECT_THAT(kept, ElementsAre(0, bytes, 0,              // Pageable.
                                bytes, 2 * bytes, bytes,  // Fresh.
                                0, bytes, 0));            // Ring.
}

TEST_F(StagingOnDeviceTest, ARingWaitsForTheOldestCopyAloneAndOnlyWhenItIsFull) {
  const c10::impl::VirtualGuardImpl device(acpu_.type());
  const c10::Stream side = device.getStreamFromGlobalPool(acpu_);
  RingBuffers ring(2, make());
  const Batch first = ring.stage(ones());
  ring.copied(side);  // This passes, whatever the gate holds.
  std::atomic<bool> is_open = false;
  device::WorkerGate gate;
  static_cast<void>(ring.stage(ones()));
  ring.copied(device.getStream(acpu_));
  EXPECT_TRUE(ring.stage(ones()).inputs.is_same(first.inputs));
  ring.copied(side);

  std::thread opener([&] {
    is_open = true;
    gate.open();
  });
  static_cast<void>(ring.stage(ones()));
  EXPECT_TRUE(is_open) << "the second copy was waited for";
  opener.join();
}

// Copies to a device on its streams, on `acpu`: what each kind overlaps with and what it waits for.
// Method: one worker is held at a gate by an operation of one stream, the other executes whatever
// may run; once it has run what was issued last, all that could run has.

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
  for (const auto& copies : every_copy(acpu_)) {
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

}  // namespace staging_test
}  // namespace runahead::train
