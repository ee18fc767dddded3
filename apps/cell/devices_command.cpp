#include <ATen/Parallel.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <iostream>
#include <memory>
#include <string>

#include "apps/cell/command.h"
#include "core/base/affinity.h"
#include "core/base/json.h"
#include "core/memory/available_memory.h"

namespace runahead::cell {
namespace {

Json json_of(const memory::Reading& reading) { return reading ? Json(*reading) : Json(nullptr); }

Json host_devices() {
  const Json host{{"cores", allowed_cpus().size()},
                  {"available_memory_bytes", json_of(memory::available_memory_bytes())}};
  Json cpu{{"device", "cpu"}, {"available", true}, {"what", "executes at issue"}};
  Json acpu{{"device", "acpu"}, {"available", true}, {"what", "queues and executes later"}};
  cpu.update(host);
  acpu.update(host);
  return Json::array({cpu, acpu});
}

Json cuda_device() {
  const auto count = torch::cuda::device_count();
  Json cuda{{"device", "cuda"}, {"available", count > 0}, {"count", count}};
  cuda["what"] = count > 0 ? "queues and executes later"
                           : "LibTorch " TORCH_VERSION " found no CUDA device or no driver";
  return cuda;
}

ExitCode list_devices(bool json) {
  Json devices = host_devices();
  devices.push_back(cuda_device());
  if (json) {
    std::cout << dump_json(devices, 2) << '\n';
    return ExitCode::kOk;
  }
  for (const Json& device : devices) {
    const auto name = device["device"].get<std::string>();
    std::cout << name << std::string(6 - name.size(), ' ')
              << (device["available"].get<bool>() ? "there      " : "not there  ")
              << device["what"].get<std::string>();
    if (device.contains("cores")) std::cout << ", " << device["cores"] << " CPUs";
    if (device.contains("count")) std::cout << ", " << device["count"] << " devices";
    std::cout << '\n';
  }
  return ExitCode::kOk;
}

}  // namespace

Command add_devices_command(CLI::App& program) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* parser = program.add_subcommand("devices", "What this machine offers");
  parser->add_flag("--json", *json, "Print one JSON document");
  return {parser, [json] { return list_devices(*json); }};
}

}  // namespace runahead::cell
