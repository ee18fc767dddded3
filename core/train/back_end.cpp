#include "core/train/back_end.h"

#include <utility>

#include "core/base/error.h"
#include "core/train/event_back_end.h"

namespace runahead::train {
namespace {

class FinishedMark final : public Mark {
 public:
  bool is_finished() override { return true; }
  void wait() override {}
};

/// LibTorch's `cpu` executes at issue: nothing is ever in flight, and no wait blocks.
class CpuBackEnd final : public BackEnd {
 public:
  std::unique_ptr<Mark> mark(FinishedCallback on_finished) override {
    if (on_finished) on_finished(Clock::now());
    return std::make_unique<FinishedMark>();
  }
  void wait_until_computed(const torch::Tensor&) override {}
  void synchronize() override {}
};

class EngineMark final : public Mark {
 public:
  explicit EngineMark(engine::Marker marker) : marker_(std::move(marker)) {}
  bool is_finished() override { return marker_.is_finished(); }
  void wait() override { device::wait_for(marker_); }

 private:
  engine::Marker marker_;
};

/// The asynchronous CPU device. Uses its engine's marks and waits.
class AcpuBackEnd final : public BackEnd {
 public:
  std::unique_ptr<Mark> mark(FinishedCallback on_finished) override {
    return std::make_unique<EngineMark>(device::mark(std::move(on_finished)));
  }
  [[nodiscard]] std::shared_ptr<const void> hold_memory(
      const torch::Tensor& tensor) const override {
    return tensor.defined() ? device::hold_memory(tensor) : nullptr;
  }
  [[nodiscard]] std::optional<ClaimedBytes> claimed_bytes() const override {
    return device::claimed_bytes();
  }
  [[nodiscard]] bool holds_at_admission() const noexcept override { return true; }
  void wait_until_computed(const torch::Tensor& tensor) override { device::wait_for(tensor); }
  void synchronize() override { device::synchronize(); }
};

}  // namespace

std::unique_ptr<BackEnd> make_back_end(torch::Device device) {
  if (device.is_cpu()) return std::make_unique<CpuBackEnd>();
  RUNAHEAD_REQUIRE(!device.is_privateuseone() || device.index() <= 0,
                   "there is one device, acpu:0, but found " + device.str());
  if (device.is_privateuseone()) return std::make_unique<AcpuBackEnd>();
  return std::make_unique<EventBackEnd>(device);
}

}  // namespace runahead::train
