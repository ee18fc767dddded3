#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace runahead::sweep {

/// Orders CPUs so that those that share a core are next to each other, and so the cores of a
/// package: what shares most is nearest.
/// @param cpu_folder  Where the kernel describes them.
[[nodiscard]] std::vector<int> order_by_core(
    const std::vector<int>& cpus,
    const std::filesystem::path& cpu_folder = "/sys/devices/system/cpu");

/// Divides CPUs among cells that run at once: disjoint parts, as equal as can be. Immutable.
class CpuSlots {
 public:
  /// @param count  Cells at once, at least 1.
  /// @param cpus   At least one; neighbours come into the same slot.
  CpuSlots(int count, const std::vector<int>& cpus);

  /// The CPUs of a slot, numbered from 0, ascending, never none; with a single slot, with more
  /// slots than CPUs, and for a slot beyond `count`, all CPUs.
  [[nodiscard]] const std::vector<int>& cpus_of(int slot) const;
  [[nodiscard]] std::size_t cpu_count() const noexcept { return all_.size(); }

 private:
  std::vector<std::vector<int>> parts_{};  ///< Empty: every slot has all.
  std::vector<int> all_;
};

}  // namespace runahead::sweep
