#include "core/base/affinity.h"

#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/base/text.h"

namespace runahead {
namespace {

/// More than any kernel supports (CONFIG_NR_CPUS is at most 8192).
constexpr int kMaxCpus = 1 << 15;

struct CpuSetDeleter {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

/// A cpu_set_t of kMaxCpus; the fixed-size one ends at 1024.
class CpuSet {
 public:
  CpuSet() : set_(CPU_ALLOC(kMaxCpus)) {
    if (set_ == nullptr) throw Error("no memory for a set of CPUs");
    CPU_ZERO_S(size_bytes(), set_.get());
  }
  [[nodiscard]] cpu_set_t* get() const { return set_.get(); }
  [[nodiscard]] static std::size_t size_bytes() { return CPU_ALLOC_SIZE(kMaxCpus); }

 private:
  std::unique_ptr<cpu_set_t, CpuSetDeleter> set_;
};

std::string list_of(std::span<const int> cpus) {
  return joined(cpus, ", ", [](int cpu) { return std::to_string(cpu); });
}

}  // namespace

std::vector<int> allowed_cpus() {
  const CpuSet set;
  if (sched_getaffinity(0, CpuSet::size_bytes(), set.get()) != 0) {
    throw Error("the CPUs that this thread may use could not be read (errno " +
                std::to_string(errno) + ")");
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), CpuSet::size_bytes(), set.get())) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

void restrict_calling_thread(std::span<const int> cpus) {
  const CpuSet set;
  for (const int cpu : cpus) {
    RUNAHEAD_REQUIRE(cpu >= 0, "CPUs are numbered from 0");
    if (cpu < kMaxCpus) CPU_SET_S(static_cast<std::size_t>(cpu), CpuSet::size_bytes(), set.get());
  }
  if (sched_setaffinity(0, CpuSet::size_bytes(), set.get()) != 0) {
    throw UnavailableError("this thread cannot run on any of the CPUs [" + list_of(cpus) +
                           "]; allowed are [" + list_of(allowed_cpus()) + "]");
  }
}

void pin_calling_thread(int cpu) { restrict_calling_thread(std::span(&cpu, 1)); }

}  // namespace runahead
