#include "core/train/event_back_end.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "core/train/device_copies.h"
#include "core/train/host_buffers.h"
#include "core/train/pacer.h"
#include "core/train/recording.h"
#include "core/train/staging.h"
#include "support/text_file.h"

namespace runahead::train {
namespace event_back_end_test {

using c10::Device;
using c10::DeviceIndex;
using c10::Stream;
using ::testing::DoubleNear;

constexpr auto kType = c10::DeviceType::VE;  // Which nothing else uses here.

/// Two devices as LibTorch has them on CUDA: what must be done on a device switches to it and back,
/// which uses both, and what any device can do uses the current one.
class Devices final : public c10::impl::DeviceGuardImplInterface {
 public:
  static Devices& get() {
    static auto* const devices = new Devices();  // Never freed, as LibTorch wants it.
    c10::impl::registerDeviceGuard(kType, devices);
    return *devices;
  }
  void reset() {
    current_ = 0;
    uses_ = {};
    milliseconds_ = 0;
  }
  [[nodiscard]] int uses(std::size_t device) const { return uses_.at(device); }
  void set_clock(double milliseconds) { milliseconds_ = milliseconds; }

  [[nodiscard]] c10::DeviceType type() const override { return kType; }
  [[nodiscard]] DeviceIndex deviceCount() const noexcept override { return 2; }
  [[nodiscard]] Device getDevice() const override { return {kType, current_}; }
  void setDevice(Device device) const override { switch_to(device.index()); }
  /// Ends a guard, and is the only way back to a device that makes no context there.
  void uncheckedSetDevice(Device device) const noexcept override { current_ = device.index(); }
  [[nodiscard]] Device exchangeDevice(Device device) const override {
    const Device before = getDevice();
    setDevice(device);
    return before;
  }
  [[nodiscard]] Stream getStream(Device device) const override {
    return Stream(Stream::DEFAULT, device);
  }
  [[nodiscard]] Stream exchangeStream(Stream stream) const override { return stream; }

  void record(void** event, const Stream& stream, DeviceIndex, c10::EventFlag) const override {
    on(stream.device_index(), [&] { *event = new double(milliseconds_); });
  }
  void destroyEvent(void* event, DeviceIndex device) const noexcept override {
    on(device, [&] { delete static_cast<double*>(event); });
  }
  [[nodiscard]] bool queryEvent(void*) const override {
    use_current();
    return true;
  }
  void block(void*, const Stream& stream) const override {
    on(stream.device_index(), [] {});
  }
  void synchronizeEvent(void*) const override { use_current(); }
  void synchronizeDevice(DeviceIndex device) const override {
    on(device, [] {});
  }
  [[nodiscard]] double elapsedTime(void* first, void* second, DeviceIndex device) const override {
    float elapsed = 0;
    on(device, [&] {
      elapsed = static_cast<float>(*static_cast<double*>(second) - *static_cast<double*>(first));
    });
    return elapsed;
  }

 private:
  void use_current() const { ++uses_.at(static_cast<std::size_t>(current_)); }
  void switch_to(DeviceIndex device) const {
    const bool switches = device != current_;
    current_ = device;
    if (switches) use_current();
  }
  template <typename Work>
  void on(DeviceIndex device, const Work& work) const {
    const DeviceIndex before = current_;
    switch_to(device);
    work();
    switch_to(before);
  }

  mutable DeviceIndex current_ = 0;
  mutable std::array<int, 2> uses_{};
  double milliseconds_ = 0;
};

class NoCopies final : public DeviceCopies {
 public:
  explicit NoCopies(Stream stream) : stream_(stream) {}
  Batch copy(const Batch& staged, bool) override { return staged; }
  [[nodiscard]] Stream stream() const override { return stream_; }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch&) const override { return 0; }

 private:
  Stream stream_;
};

class OnTheSecondDevice : public ::testing::Test {
 protected:
  void SetUp() override { devices_.reset(); }
  Devices& devices_ = Devices::get();
  const Device second_{kType, 1};
  const Stream stream_{Stream::DEFAULT, second_};
};

TEST_F(OnTheSecondDevice, NothingUsesTheFirst) {
  const ScratchFolder folder;
  for (const char* policy : {"every_batch", "window"}) {
    Pacer pacer(second_, {policy, Json::object()});
    for (int batch = 0; batch < 3; ++batch) pacer.after_batch();
  }
  Recording recording(second_, folder.path() / "run");
  for (int batch = 0; batch < 2; ++batch) recording.batch(1);
  recording.finish();
  {
    const auto make = [this](const torch::Tensor& like) {
      EXPECT_EQ(devices_.getDevice(), second_);
      return torch::empty_like(like);
    };
    CopyStaging staging(std::make_unique<RingBuffers>(1, make),
                        std::make_unique<NoCopies>(stream_));
    for (int batch = 0; batch < 2; ++batch) {
      static_cast<void>(
          staging.to_device({.inputs = torch::ones({1}), .targets = torch::ones({1})}));
    }
  }
  DeviceEvent(stream_).block(stream_);

  EXPECT_GT(devices_.uses(1), 0);
  EXPECT_EQ(devices_.uses(0), 0);
}

TEST_F(OnTheSecondDevice, ADeviceWithoutAnIndexIsTheCurrentOneForGood) {
  devices_.setDevice(second_);
  EventBackEnd back_end((Device(kType)));
  devices_.uncheckedSetDevice({kType, 0});
  static_cast<void>(back_end.mark([](TimePoint) {}));
  back_end.synchronize();

  EXPECT_EQ(devices_.uses(0), 0);
}

TEST_F(OnTheSecondDevice, FinishTimesStayExactAfterADayAndAreNeverInTheFuture) {
  EventBackEnd back_end(second_);
  std::vector<TimePoint> finished;
  const double day = std::chrono::duration<double, std::milli>(std::chrono::hours(24)).count();
  for (const double milliseconds : {-day, -day + 0.5, -day + 1, day}) {
    devices_.set_clock(milliseconds);
    static_cast<void>(back_end.mark([&](TimePoint time) { finished.push_back(time); }));
  }
  back_end.synchronize();

  ASSERT_EQ(finished.size(), 4);
  EXPECT_THAT(seconds_between(finished[0], finished[1]), DoubleNear(5e-4, 1e-8));
  EXPECT_THAT(seconds_between(finished[1], finished[2]), DoubleNear(5e-4, 1e-8));
  EXPECT_LE(finished[3], Clock::now());
}

}  // namespace event_back_end_test
}  // namespace runahead::train
