#include "core/train/back_end.h"

#include "core/base/error.h"
#include "core/train/acpu_back_end.h"
#include "core/train/cpu_back_end.h"
#include "core/train/event_back_end.h"

namespace runahead::train {

std::shared_ptr<const void> BackEnd::hold_memory(const torch::Tensor&) const { return nullptr; }

std::unique_ptr<BackEnd> make_back_end(torch::Device device) {
  if (device.is_cpu()) return std::make_unique<CpuBackEnd>();
  RUNAHEAD_REQUIRE(!device.is_privateuseone() || device.index() <= 0,
                   "there is one device, acpu:0, but found " + device.str());
  if (device.is_privateuseone()) return std::make_unique<AcpuBackEnd>();
  return std::make_unique<EventBackEnd>(device);
}

}  // namespace runahead::train
