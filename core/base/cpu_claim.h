#pragma once

#include <cstddef>
#include <vector>

namespace runahead {

/// CPUs that a process means to have for itself, as far as other users of this class go.
///
/// Programs that pin their threads would otherwise all take the first CPU. A claim is a name in the
/// kernel (an abstract Unix socket for each CPU), so it is seen by every user of the machine, needs
/// no file, and ends with its process however that ends. Containers with a network of their own do
/// not see each other's claims. Not thread-safe; calls do not block.
class CpuClaim {
 public:
  /// Claims free CPUs, first come, first served; where too few are free, it takes claimed ones as
  /// well, which their owner learns.
  /// @param candidates  At least one, in order of preference.
  /// @param count       How many are needed, at least 1; at most all candidates are taken.
  CpuClaim(const std::vector<int>& candidates, std::size_t count);
  ~CpuClaim();
  CpuClaim(CpuClaim&& other) noexcept;
  CpuClaim& operator=(CpuClaim&& other) = delete;

  /// The CPUs to use, in the order of the candidates.
  [[nodiscard]] const std::vector<int>& cpus() const { return cpus_; }
  /// Whether another claim has, or had since this one was made, one of these CPUs.
  [[nodiscard]] bool is_shared();

 private:
  std::vector<int> cpus_{};
  std::vector<int> sockets_{};  ///< Of the CPUs; fewer if 16 others share one.
  bool shared_ = false;
};

}  // namespace runahead
