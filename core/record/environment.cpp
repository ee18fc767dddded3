#include "core/record/environment.h"

#include <unistd.h>

#include <array>

#include "core/base/cpuinfo.h"
#include "core/record/build_info.h"

namespace runahead::record {
namespace {

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

/// All online CPUs of the machine, not only those that this process may use.
std::optional<std::uint64_t> core_count() {
  const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
  return count <= 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(count));
}

std::optional<std::uint64_t> physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

}  // namespace

std::optional<std::string> host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') return std::nullopt;
  return name.data();
}

Environment collect_environment() {
  Environment environment;
  environment.runahead = kVersion;
  if (*kGitRevision != '\0') environment.git = kGitRevision;
  environment.compiler = compiler_name();
  environment.host = host_name();
  environment.cpu = cpuinfo("model name");
  environment.cores = core_count();
  environment.memory_bytes = physical_memory();
  return environment;
}

}  // namespace runahead::record
