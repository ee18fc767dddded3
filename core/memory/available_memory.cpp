#include "core/memory/available_memory.h"

#include <algorithm>
#include <array>

#include "core/memory/proc_file.h"

namespace runahead::memory {

Reading available_memory_bytes(const std::filesystem::path& meminfo, const CgroupMemory& cgroup) {
  std::array<char, 8192> buffer{};
  const auto text = ProcFile(meminfo.string()).read(buffer);
  const Reading machine = text ? find_kib_field(*text, "MemAvailable:") : std::nullopt;
  const Reading group = cgroup.available_bytes();
  if (!machine || !group) return machine ? machine : group;
  return std::min(*machine, *group);
}

}  // namespace runahead::memory
