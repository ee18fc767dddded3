#include "core/cuda/staging.h"

#include <cstddef>
#include <string>

#include "core/base/error.h"
#include "core/cuda/pinned.h"
#include "core/train/device_copies.h"
#include "core/train/host_buffers.h"

namespace runahead::cuda {
namespace {

std::size_t buffers_of(const config::CudaConfig& cuda) {
  RUNAHEAD_REQUIRE(cuda.buffers >= 1,
                   std::to_string(cuda.buffers) + " buffers, must be at least 1");
  return static_cast<std::size_t>(cuda.buffers);
}

std::unique_ptr<train::HostBuffers> make_host_buffers(const config::CudaConfig& cuda) {
  switch (cuda.staging) {
    case config::Staging::kPageable:
      return std::make_unique<train::PageableBuffers>();
    case config::Staging::kPinned:
      return std::make_unique<train::FreshBuffers>(make_pinned_like);
    case config::Staging::kPinnedRing:
      return std::make_unique<train::RingBuffers>(buffers_of(cuda), make_pinned_like);
  }
  throw UsageError("make_staging: cuda.staging is out of its range");
}

std::unique_ptr<train::DeviceCopies> make_copies(const config::ExperimentConfig& config,
                                                 torch::Device device) {
  switch (config.cuda.copies) {
    case config::Copies::kInOrder:
      return std::make_unique<train::InOrderCopies>(device);
    case config::Copies::kSideRecordStream:
      return std::make_unique<train::RecordStreamCopies>(device);
    case config::Copies::kSideReuse:
      return std::make_unique<train::ReuseCopies>(
          device, train::ReuseOptions{.buffers = buffers_of(config.cuda),
                                      .ahead = static_cast<std::size_t>(config.data.prefetch)});
  }
  throw UsageError("make_staging: cuda.copies is out of its range");
}

}  // namespace

std::unique_ptr<train::Staging> make_staging(const config::ExperimentConfig& config,
                                             torch::Device device) {
  if (!device.is_cuda()) return std::make_unique<train::PageableStaging>(device);
  return std::make_unique<train::CopyStaging>(make_host_buffers(config.cuda),
                                              make_copies(config, device));
}

}  // namespace runahead::cuda
