// What host memory a batch is staged in, and when a ring waits for a copy: seen by a device whose
// events write down what is asked of them.
#include "core/train/host_buffers.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "core/base/error.h"

namespace runahead::train {
namespace host_buffers_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr c10::DeviceType kFakeType = c10::DeviceType::HPU;

/// Events are numbered from 1 in the order in which they were recorded.
class NumberingGuard final : public c10::impl::DeviceGuardImplInterface {
 public:
  struct Log {
    std::deque<std::size_t> events{};  ///< Their numbers, where LibTorch points to.
    std::vector<c10::StreamId> recorded_on{};
    std::vector<std::size_t> waited_for{};
  };
  static Log& log() {
    static Log written;
    return written;
  }

  [[nodiscard]] c10::DeviceType type() const override { return kFakeType; }
  [[nodiscard]] c10::Device exchangeDevice(c10::Device) const override { return getDevice(); }
  [[nodiscard]] c10::Device getDevice() const override { return {kFakeType, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  [[nodiscard]] c10::DeviceIndex deviceCount() const noexcept override { return 0; }
  [[nodiscard]] c10::Stream getStream(c10::Device) const override {
    return c10::Stream(c10::Stream::DEFAULT, getDevice());
  }
  [[nodiscard]] c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex,
              c10::EventFlag) const override {
    log().recorded_on.push_back(stream.id());
    log().events.push_back(log().recorded_on.size());
    *event = &log().events.back();
  }
  void synchronizeEvent(void* event) const override {
    log().waited_for.push_back(*static_cast<std::size_t*>(event));
  }
};

class HostBuffersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // LibTorch keeps it for good, as it keeps those of real devices.
    [[maybe_unused]] static const c10::impl::DeviceGuardImplRegistrar registrar(
        kFakeType, new NumberingGuard());
  }

  void SetUp() override { NumberingGuard::log() = {}; }

  /// Two inputs and two targets of that value, float32.
  static Batch batch_of(float value) {
    return {.inputs = torch::full({2, 1}, value), .targets = torch::full({2, 1}, -value)};
  }
  static bool holds(const Batch& batch, float value) {
    return batch.inputs.equal(torch::full({2, 1}, value)) &&
           batch.targets.equal(torch::full({2, 1}, -value));
  }

  [[nodiscard]] static NumberingGuard::Log& log() { return NumberingGuard::log(); }

  int made_ = 0;
  MakeHostTensor make_ = [this](const torch::Tensor& like) {
    ++made_;
    return torch::empty_like(like);
  };
  const c10::Stream stream_{c10::Stream::UNSAFE, c10::Device(kFakeType, 0), 7};
};

TEST_F(HostBuffersTest, PageableGivesTheTensorsOfTheHost) {
  PageableBuffers buffers;
  const Batch host = batch_of(1);

  const Batch staged = buffers.stage(host);
  buffers.copied(stream_);

  EXPECT_TRUE(staged.inputs.is_same(host.inputs));
  EXPECT_TRUE(staged.targets.is_same(host.targets));
  EXPECT_FALSE(buffers.allows_non_blocking()) << "the host tensors may be changed afterwards";
  EXPECT_EQ(buffers.kept_bytes(staged), 0U);
}

TEST_F(HostBuffersTest, FreshOnesAreTheBatchesOwnAndKeptForIt) {
  FreshBuffers buffers(make_);

  const Batch first = buffers.stage(batch_of(1));
  buffers.copied(stream_);
  const Batch second = buffers.stage(batch_of(2));
  buffers.copied(stream_);

  EXPECT_TRUE(holds(first, 1)) << "the second has memory of its own";
  EXPECT_TRUE(holds(second, 2));
  EXPECT_EQ(made_, 4);
  EXPECT_TRUE(buffers.allows_non_blocking());
  EXPECT_EQ(buffers.kept_bytes(first), 4 * sizeof(float));
  EXPECT_THAT(log().waited_for, IsEmpty());
}

TEST_F(HostBuffersTest, ARingUsesItsBuffersAgainAndKeepsNothingForABatch) {
  RingBuffers buffers(3, make_);
  std::vector<Batch> staged;
  for (int i = 0; i < 6; ++i) {
    staged.push_back(buffers.stage(batch_of(static_cast<float>(i))));
    buffers.copied(stream_);
  }

  EXPECT_EQ(made_, 2 * 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(staged[i].inputs.is_same(staged[i + 3].inputs));
    EXPECT_TRUE(holds(staged[i + 3], static_cast<float>(i + 3)));
  }
  EXPECT_TRUE(buffers.allows_non_blocking());
  EXPECT_EQ(buffers.kept_bytes(staged.front()), 0U);
}

TEST_F(HostBuffersTest, ARingWaitsForTheOldestCopyAloneAndOnlyWhenItIsFull) {
  RingBuffers buffers(2, make_);
  const auto pass_one = [&] {
    static_cast<void>(buffers.stage(batch_of(1)));
    buffers.copied(stream_);
  };

  pass_one();
  pass_one();
  EXPECT_THAT(log().waited_for, IsEmpty());
  pass_one();
  EXPECT_THAT(log().waited_for, ElementsAre(1));
  pass_one();
  pass_one();
  EXPECT_THAT(log().waited_for, ElementsAre(1, 2, 3));
}

TEST_F(HostBuffersTest, ARingMarksEachCopyOnTheStreamItWasIssuedOn) {
  RingBuffers buffers(2, make_);
  const c10::Stream other{c10::Stream::UNSAFE, c10::Device(kFakeType, 0), 8};

  static_cast<void>(buffers.stage(batch_of(1)));
  buffers.copied(stream_);
  static_cast<void>(buffers.stage(batch_of(2)));
  buffers.copied(other);

  EXPECT_THAT(log().recorded_on, ElementsAre(7, 8));
}

}  // namespace host_buffers_test
}  // namespace runahead::train
