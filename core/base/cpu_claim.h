#pragma once

#include <cstddef>
#include <vector>

namespace runahead {

/// CPUs that a process intends to use alone, with respect to other users of this class.
///
/// Programs that pin their threads would otherwise all choose the first CPU. A claim is a name in
/// the kernel (an abstract Unix socket per CPU), so every user of the machine sees it, it needs no
/// file, and it ends with its process, however that ends. Containers with their own network do not
/// see each other's claims. Not thread-safe; calls do not block.
class CpuClaim {
 public:
  /// Claims free CPUs, first come, first served; if too few are free, it also claims CPUs that are
  /// already claimed and notifies their owners.
  /// @param candidates  At least one, in order of preference.
  /// @param count       How many are needed, at least 1; at most all candidates are claimed.
  CpuClaim(const std::vector<int>& candidates, std::size_t count);
  ~CpuClaim();
  CpuClaim(CpuClaim&& other) noexcept;
  CpuClaim& operator=(CpuClaim&& other) = delete;

  /// The CPUs to use, in the order of the candidates.
  [[nodiscard]] const std::vector<int>& cpus() const { return cpus_; }
  /// Whether another claim includes, or has included since this one was made, one of these CPUs.
  [[nodiscard]] bool is_shared();

 private:
  std::vector<int> cpus_{};
  std::vector<int> sockets_{};  ///< One per CPU; fewer if 16 others share one.
  bool shared_ = false;
};

}  // namespace runahead
