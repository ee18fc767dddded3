#include "core/cuda/availability.h"

#include <cuda_runtime_api.h>

#include "core/cuda/context.h"
#include "core/cuda/memory_sources.h"
#include "core/cuda/problem.h"

namespace runahead::cuda {
namespace {

std::optional<int> version_of(cudaError_t (*ask)(int*)) {
  int version = 0;
  if (!succeeded(ask(&version))) return std::nullopt;
  return version > 0 ? std::optional(version) : std::nullopt;
}

std::optional<cudaDeviceProp> properties_of(int device) {
  if (device < 0 || device >= device_count()) return std::nullopt;
  cudaDeviceProp properties{};
  if (!succeeded(cudaGetDeviceProperties(&properties, device))) return std::nullopt;
  return properties;
}

Json describe_device(int device) {
  Json described{{"device", "cuda:" + std::to_string(device)},
                 {"name", nullptr},
                 {"compute_capability", nullptr},
                 {"total_memory_bytes", nullptr}};
  if (const auto properties = properties_of(device)) {
    described["name"] = std::string(properties->name);
    described["compute_capability"] =
        std::to_string(properties->major) + "." + std::to_string(properties->minor);
    described["total_memory_bytes"] = properties->totalGlobalMem;
  }
  described["probes"] = probe_availability(device);
  return described;
}

bool has_memory_pool(int device) {
  int is_supported = 0;
  return succeeded(
             cudaDeviceGetAttribute(&is_supported, cudaDevAttrMemoryPoolsSupported, device)) &&
         is_supported != 0;
}

}  // namespace

Availability availability() {
  Availability found;
  const cudaError_t error = cudaGetDeviceCount(&found.devices);
  if (!succeeded(error)) found.devices = 0;
  found.driver_version = version_of(cudaDriverGetVersion);
  found.runtime_version = version_of(cudaRuntimeGetVersion);
  if (found.devices == 0) found.problem = problem_of(error, found);
  return found;
}

std::optional<std::string> device_name(int device) {
  const auto properties = properties_of(device);
  return properties ? std::optional<std::string>(properties->name) : std::nullopt;
}

Json probe_availability(int device) {
  const bool is_there = device >= 0 && device < device_count();
  return {{"cuda_memory", is_there},
          {"allocator", is_there},
          {"pinned_memory", is_there},
          {"pool", is_there && has_memory_pool(device)},
          {"nvml", is_there && find_nvml_device(device).has_value()}};
}

Json describe_devices() {
  Json devices = Json::array();
  for (int device = 0; device < device_count(); ++device) {
    devices.push_back(describe_device(device));
  }
  return devices;
}

}  // namespace runahead::cuda
