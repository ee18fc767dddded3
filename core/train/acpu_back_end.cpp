#include "core/train/acpu_back_end.h"

#include <utility>

#include "core/device/device.h"

namespace runahead::train {
namespace {

class EngineMark final : public Mark {
 public:
  explicit EngineMark(engine::Marker marker) : marker_(std::move(marker)) {}
  bool is_finished() override { return marker_.is_finished(); }
  void wait() override { device::wait_for(marker_); }

 private:
  engine::Marker marker_;
};

}  // namespace

std::unique_ptr<Mark> AcpuBackEnd::mark(FinishedCallback on_finished) {
  return std::make_unique<EngineMark>(device::mark(std::move(on_finished)));
}

std::shared_ptr<const void> AcpuBackEnd::hold_memory(const torch::Tensor& tensor) const {
  return tensor.defined() ? device::hold_memory(tensor) : nullptr;
}

std::optional<ClaimedBytes> AcpuBackEnd::claimed_bytes() const { return device::claimed_bytes(); }

void AcpuBackEnd::wait_until_computed(const torch::Tensor& tensor) { device::wait_for(tensor); }

void AcpuBackEnd::synchronize() { device::synchronize(); }

}  // namespace runahead::train
