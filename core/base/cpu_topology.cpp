#include "core/base/cpu_topology.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace runahead {
namespace {

namespace fs = std::filesystem;

/// A number that the kernel reports for a CPU; 0 if it does not.
int read_number(const fs::path& path) {
  std::ifstream file(path);
  int number = 0;
  return file >> number ? number : 0;
}

/// A CPU's package, die and core.
using Core = std::tuple<int, int, int>;

Core core_of(const fs::path& cpu) {
  const fs::path topology = cpu / "topology";
  return {read_number(topology / "physical_package_id"), read_number(topology / "die_id"),
          read_number(topology / "core_id")};
}

/// `cpus` in the order of `key_of` of their folders and, where that is equal, in their own order.
template <typename KeyOf>
std::vector<int> order_by(const std::vector<int>& cpus, const fs::path& cpu_folder,
                          const KeyOf& key_of) {
  using Key = decltype(key_of(cpu_folder));
  std::vector<std::pair<Key, int>> keyed;
  for (const int cpu : cpus)
    keyed.emplace_back(key_of(cpu_folder / ("cpu" + std::to_string(cpu))), cpu);
  std::ranges::stable_sort(keyed, {}, &std::pair<Key, int>::first);
  std::vector<int> ordered;
  for (const auto& [key, cpu] : keyed) ordered.push_back(cpu);
  return ordered;
}

}  // namespace

std::vector<int> order_by_core(const std::vector<int>& cpus, const fs::path& cpu_folder) {
  return order_by(cpus, cpu_folder, core_of);
}

std::vector<int> order_for_threads(const std::vector<int>& cpus, const fs::path& cpu_folder) {
  std::map<Core, int> cpus_before;  // Of the same core.
  return order_by(cpus, cpu_folder, [&cpus_before](const fs::path& cpu) {
    const Core core = core_of(cpu);
    const int last_level_cache = read_number(cpu / "cache" / "index3" / "id");
    return std::tuple(cpus_before[core]++, last_level_cache, core);
  });
}

}  // namespace runahead
