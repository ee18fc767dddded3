#pragma once

#include <cstddef>
#include <vector>

namespace runahead::sweep {

/// Divides CPUs among concurrent cells, in disjoint parts that are as equal as possible. Immutable.
class CpuSlots {
 public:
  /// @param count  Cells at once, at least 1.
  /// @param cpus   At least one; adjacent ones go into the same slot.
  CpuSlots(int count, const std::vector<int>& cpus);

  /// The CPUs of a slot (numbered from 0), ascending and never empty. All CPUs if there is a single
  /// slot or there are more slots than CPUs, and for a slot beyond `count`.
  [[nodiscard]] const std::vector<int>& cpus_of(int slot) const;
  [[nodiscard]] std::size_t cpu_count() const noexcept { return all_.size(); }

 private:
  std::vector<std::vector<int>> parts_{};  ///< Empty: every slot has all.
  std::vector<int> all_;
};

}  // namespace runahead::sweep
