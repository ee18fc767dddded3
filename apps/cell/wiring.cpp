#include "apps/cell/wiring.h"

#include <c10/util/accumulate.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cuda/availability.h"
#include "core/cuda/cuda_memory.h"
#include "core/cuda/device_hold.h"
#include "core/cuda/nvtx_ranges.h"
#include "core/cuda/staging.h"
#include "core/device/device.h"
#include "data/files.h"
#include "data/normal.h"
#include "models/mlp.h"
#include "models/script_model.h"

namespace runahead::cell {
namespace {

std::unique_ptr<train::DeviceMemory> make_device_memory(torch::Device device) {
  return device.is_cuda() ? cuda::make_device_memory(device) : nullptr;
}

train::DeviceHold make_device_hold(torch::Device device) {
  if (device.is_cuda()) return cuda::make_device_hold(device);
  if (device.is_privateuseone()) return device::hold_workers;
  return nullptr;
}

/// Shape of the inputs of one example.
std::vector<std::int64_t> example_shape(const config::ExperimentConfig& config) {
  if (config.data.kind == "files") return data::example_shape_of_files(config);
  return {config.data.features};
}

std::unique_ptr<train::Model> make_mlp(const config::ExperimentConfig& config) {
  const std::vector<std::int64_t> shape = example_shape(config);
  return std::make_unique<models::Mlp>(config.model, c10::multiply_integers(shape), config.seed);
}

std::unique_ptr<train::Model> make_script_model(const config::ExperimentConfig& config) {
  return std::make_unique<models::ScriptModel>(config.model, example_shape(config), config.seed);
}

bool is_on_cuda(const config::ExperimentConfig& config) {
  return config.device.starts_with("cuda");
}

}  // namespace

experiment::Factories make_factories(const config::ExperimentConfig& config) {
  experiment::Factories factories{
      .models = {{"mlp", make_mlp}, {"torchscript", make_script_model}},
      .sources = {{"normal", data::make_normal_source}, {"files", data::make_file_source}},
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
