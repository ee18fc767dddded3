#include "core/base/affinity.h"

#include <sched.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include "core/base/error.h"
#include "core/base/text.h"

namespace runahead {
namespace {

/// More than any kernel supports (CONFIG_NR_CPUS is at most 8192).
constexpr int kMaxCpus = 1 << 15;
/// A set of kMaxCpus; a single cpu_set_t ends at CPU_SETSIZE.
using CpuSet = std::array<cpu_set_t, kMaxCpus / CPU_SETSIZE>;

std::string list_of(std::span<const int> cpus) {
  return joined(cpus, ", ", [](int cpu) { return std::to_string(cpu); });
}

}  // namespace

std::vector<int> allowed_cpus() {
  CpuSet set{};
  if (sched_getaffinity(0, sizeof set, set.data()) != 0) {
    throw Error("the CPUs that this thread may use could not be read (errno " +
                std::to_string(errno) + ")");
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof set, set.data())) cpus.push_back(cpu);
  }
  return cpus;
}

void restrict_calling_thread(std::span<const int> cpus) {
  CpuSet set{};
  for (const int cpu : cpus) {
    RUNAHEAD_REQUIRE(cpu >= 0, "CPUs are numbered from 0");
    if (cpu < kMaxCpus) CPU_SET_S(static_cast<std::size_t>(cpu), sizeof set, set.data());
  }
  if (sched_setaffinity(0, sizeof set, set.data()) != 0) {
    throw UnavailableError("this thread cannot run on any of the CPUs [" + list_of(cpus) +
                           "]; allowed are [" + list_of(allowed_cpus()) + "]");
  }
}

void pin_calling_thread(int cpu) { restrict_calling_thread(std::span(&cpu, 1)); }

}  // namespace runahead
