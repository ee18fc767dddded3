#include "apps/cell/wiring.h"

#include <memory>

#include "core/config/device_name.h"
#include "core/cuda/availability.h"
#include "core/cuda/cuda_memory.h"
#include "core/cuda/device_hold.h"
#include "core/cuda/nvtx_ranges.h"
#include "core/cuda/staging.h"
#include "core/train/acpu_hold.h"
#include "data/normal.h"
#include "models/mlp.h"

namespace runahead::cell {
namespace {

std::unique_ptr<train::DeviceMemory> make_device_memory(torch::Device device) {
  return device.is_cuda() ? cuda::make_device_memory(device) : nullptr;
}

std::unique_ptr<train::DeviceHold> make_device_hold(torch::Device device) {
  if (device.is_cuda()) return cuda::make_device_hold(device);
  if (device.is_privateuseone()) return std::make_unique<train::AcpuHold>();
  return nullptr;
}

bool is_on_cuda(const config::ExperimentConfig& config) {
  return config.device.starts_with("cuda");
}

}  // namespace

experiment::Factories make_factories(const config::ExperimentConfig& config) {
  experiment::Factories factories{.models = {{"mlp",
                                              [](const config::ExperimentConfig& run) {
                                                return std::make_unique<models::Mlp>(
                                                    run.model, run.data.features, run.seed);
                                              }}},
                                  .sources = {{"normal", data::make_normal_source}},
                                  .staging = cuda::make_staging,
                                  .device_memory = make_device_memory,
                                  .device_hold = make_device_hold};
  if (!is_on_cuda(config)) return factories;
  factories.loop_ranges = cuda::make_nvtx_ranges;
  factories.cuda_problem = cuda::availability().problem;
  return factories;
}

CudaEnvironment find_cuda_environment(const config::ExperimentConfig& config) {
  if (!is_on_cuda(config)) return {};
  CudaEnvironment found{.device_name = cuda::device_name(config::cuda_index(config.device))};
  if (const auto version = cuda::availability().runtime_version) {
    found.version = cuda::version_text(*version);
  }
  return found;
}

}  // namespace runahead::cell
