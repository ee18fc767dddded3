#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "apps/cell/command.h"
#include "core/base/affinity.h"
#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/cuda/availability.h"
#include "core/memory/cgroup.h"

namespace runahead::cell {
namespace {

constexpr const char* kQueues = "queues and executes later";

Json version_json(const std::optional<int>& version) {
  return version ? Json(cuda::version_text(*version)) : Json(nullptr);
}

Json host_devices() {
  const Json host{{"cores", allowed_cpus().size()},
                  {"available_memory_bytes", or_null(memory::available_memory_bytes())}};
  Json cpu{{"device", "cpu"}, {"available", true}, {"what", "executes at issue"}};
  Json acpu{{"device", "acpu"}, {"available", true}, {"what", kQueues}};
  cpu.update(host);
  acpu.update(host);
  return Json::array({cpu, acpu});
}

/// All CUDA devices as one entry. If there is none, `what` says why.
Json cuda_device() {
  const cuda::Availability found = cuda::availability();
  const bool is_there = found.devices > 0;
  return {{"device", "cuda"},
          {"available", is_there},
          {"count", found.devices},
          {"what", is_there ? kQueues : found.problem},
          {"driver_supports", version_json(found.driver_version)},
          {"runtime", version_json(found.runtime_version)},
          {"probes", cuda::probe_availability(0)},
          {"devices", cuda::describe_devices()}};
}

/// "probes: cuda_memory, allocator; not nvml".
std::string probes_text(const Json& probes) {
  std::string there;
  std::string missing;
  for (const auto& [name, is_available] : probes.items()) {
    std::string& list = is_available.get<bool>() ? there : missing;
    list += (list.empty() ? "" : ", ") + name;
  }
  if (!missing.empty()) missing = "; not " + missing;
  return "probes: " + (there.empty() ? "none" : there) + missing;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string("-");
}

void print_cuda_device(const Json& device) {
  const Json& bytes = device["total_memory_bytes"];
  std::cout << "      " << text_of(device["device"]) << "  " << text_of(device["name"])
            << ", compute capability " << text_of(device["compute_capability"]) << ", "
            << (bytes.is_null() ? "-" : format_bytes(bytes.get<std::uint64_t>())) << ", "
            << probes_text(device["probes"]) << '\n';
}

void print_device(const Json& device) {
  const auto name = device["device"].get<std::string>();
  std::cout << name << std::string(6 - name.size(), ' ')
            << (device["available"].get<bool>() ? "available      " : "not available  ")
            << device["what"].get<std::string>();
  if (device.contains("cores")) std::cout << ", " << device["cores"] << " CPUs";
  if (device.contains("count")) std::cout << ", " << device["count"] << " devices";
  std::cout << '\n';
  if (!device.contains("devices")) return;
  for (const Json& one : device["devices"]) print_cuda_device(one);
}

ExitCode list_devices(bool json) {
  Json devices = host_devices();
  devices.push_back(cuda_device());
  if (json) {
    std::cout << dump_json(devices, 2) << '\n';
    return ExitCode::kOk;
  }
  for (const Json& device : devices) print_device(device);
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
