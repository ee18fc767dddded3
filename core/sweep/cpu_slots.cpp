#include "core/sweep/cpu_slots.h"

#include <algorithm>

#include "core/base/error.h"

namespace runahead::sweep {

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
