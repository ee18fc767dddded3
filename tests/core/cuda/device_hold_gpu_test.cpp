#include "core/cuda/device_hold.h"

#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <memory>
#include <vector>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/cuda/cuda_memory.h"
#include "core/train/back_end.h"
#include "gpu_fixture.h"

namespace runahead::cuda {
namespace {

/// So long that whatever the front end does meanwhile is done before it ends.
constexpr double kLongSeconds = 2.0;

class CudaHoldOnGpu : public test::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    hold_ = make_device_hold(device_);
    back_end_ = train::make_back_end(device_);
    hold_(0.001);  // Loads the kernel.
    back_end_->synchronize();
  }

  train::DeviceHold hold_{};
  std::unique_ptr<train::BackEnd> back_end_{};
};

TEST_F(CudaHoldOnGpu, LastsAtLeastAsLongAsAsked) {
  constexpr double kSeconds = 0.1;
  constexpr double kClocksMayDiffer = 0.99;
  const TimePoint begun = Clock::now();

  hold_(kSeconds);
  back_end_->synchronize();

  EXPECT_GE(seconds_between(begun, Clock::now()), kSeconds * kClocksMayDiffer);
}

TEST_F(CudaHoldOnGpu, DoesNotHoldTheFrontEnd) {
  hold_(kLongSeconds);
  const auto mark = back_end_->mark();

  EXPECT_FALSE(mark->is_finished());
  back_end_->synchronize();
  EXPECT_TRUE(mark->is_finished());
}

TEST_F(CudaHoldOnGpu, OtherStreamsGoOn) {
  const c10::impl::VirtualGuardImpl guard(device_.type());
  const c10::Stream side = guard.getStreamFromGlobalPool(device_);
  hold_(kLongSeconds);

  {
    const c10::StreamGuard on_side(side);
    hold_(0.001);
  }
  // Not before: streams may share a queue of the hardware, where this would be in front.
  const auto mark = back_end_->mark();
  side.synchronize();

  EXPECT_FALSE(mark->is_finished());
  back_end_->synchronize();
}

TEST_F(CudaHoldOnGpu, FiguresOfMemoryAreReadWhileTheDeviceIsHeld) {
  constexpr int kReadings = 100;
  const auto memory = make_device_memory(device_);
  const auto probes = memory->make_probes();
  hold_(kLongSeconds);
  const auto mark = back_end_->mark();

  for (int i = 0; i < kReadings; ++i) {
    for (const auto& probe : probes) {
      std::vector<memory::Reading> readings(probe->columns().size());
      probe->read(readings);
    }
  }
  const Json report = memory->report();  // Reads what is dear, too.

  EXPECT_FALSE(mark->is_finished()) << "nothing waited for the device";
  EXPECT_TRUE(report.at("available").at("cuda_memory").get<bool>());
  back_end_->synchronize();
}

}  // namespace
}  // namespace runahead::cuda
