#include "core/sweep/cpu_slots.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>

#include "core/base/error.h"

namespace runahead::sweep {

namespace fs = std::filesystem;

namespace {

/// A number that the kernel reports for a CPU; 0 if it does not.
int read_number(const fs::path& path) {
  std::ifstream file(path);
  int number = 0;
  return file >> number ? number : 0;
}

/// Package, core and CPU.
std::tuple<int, int, int> place_of(const fs::path& cpu_folder, int cpu) {
  const fs::path topology = cpu_folder / ("cpu" + std::to_string(cpu)) / "topology";
  return {read_number(topology / "physical_package_id"), read_number(topology / "core_id"), cpu};
}

}  // namespace

std::vector<int> order_by_core(const std::vector<int>& cpus, const fs::path& cpu_folder) {
  std::vector<std::tuple<int, int, int>> places;
  for (const int cpu : cpus) places.push_back(place_of(cpu_folder, cpu));
  std::ranges::sort(places);
  std::vector<int> ordered;
  for (const auto& place : places) ordered.push_back(std::get<2>(place));
  return ordered;
}

CpuSlots::CpuSlots(int count, const std::vector<int>& cpus) : all_(cpus) {
  RUNAHEAD_REQUIRE(count >= 1 && !cpus.empty(), "slots need a count and CPUs");
  std::ranges::sort(all_);
  const auto parts = static_cast<std::size_t>(count);
  if (parts == 1 || parts > cpus.size()) return;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto begin = static_cast<std::ptrdiff_t>(part * cpus.size() / parts);
    const auto end = static_cast<std::ptrdiff_t>((part + 1) * cpus.size() / parts);
    parts_.emplace_back(cpus.begin() + begin, cpus.begin() + end);
    std::ranges::sort(parts_.back());
  }
}

const std::vector<int>& CpuSlots::cpus_of(int slot) const {
  RUNAHEAD_REQUIRE(slot >= 0, "slots are numbered from 0");
  const auto index = static_cast<std::size_t>(slot);
  return index < parts_.size() ? parts_[index] : all_;
}

}  // namespace runahead::sweep
