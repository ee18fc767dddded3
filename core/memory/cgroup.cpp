#include "core/memory/cgroup.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>

#include "core/memory/proc_file.h"

namespace runahead::memory {
namespace {

/// Version 1 writes "no limit" as the largest multiple of the page size; no machine has even half
/// that.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62;

Reading read_count(const std::filesystem::path& path) {
  std::array<char, 64> buffer{};
  const auto text = ProcFile(path.string()).read(buffer);
  return text ? parse_count(*text) : std::nullopt;
}

/// The total of a pressure file, whose first line is "some avg10=0.00 … total=1234"; microseconds.
Reading read_stall(const std::filesystem::path& path) {
  static constexpr std::string_view kTotal = "total=";
  std::array<char, 256> buffer{};
  const auto text = ProcFile(path.string()).read(buffer);
  const std::size_t found = text ? text->find(kTotal) : std::string_view::npos;
  return found == std::string_view::npos ? std::nullopt
                                         : parse_count(text->substr(found + kTotal.size()));
}

/// The value of `key` in a memory.stat file, whose lines are "key value".
Reading read_stat(const std::filesystem::path& path, std::string_view key) {
  std::ifstream file(path);
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::string between_commas(std::string_view text) {
  std::string list = ",";
  list += text;
  list += ',';
  return list;
}

}  // namespace

std::optional<std::string> find_cgroup_path(const std::filesystem::path& proc_cgroup,
                                            std::string_view controller) {
  std::ifstream file(proc_cgroup);
  std::string line;
  while (std::getline(file, line)) {
    // "4:memory:/path", "5:cpu,cpuacct:/path", "0::/path".
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = between_commas(line.substr(first + 1, second - first - 1));
    if (controllers.find(between_commas(controller)) != std::string::npos) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

struct CgroupMemory::FileNames {
  std::string_view current{};
  std::string_view limit{};
  std::string_view soft_limit{};  ///< Empty: version 1, whose soft limit slows nothing down.
  std::string_view peak{};
  std::string_view inactive_file{};  ///< Key in memory.stat.
};

CgroupMemory::CgroupMemory(const std::filesystem::path& proc_cgroup,
                           const std::filesystem::path& mount,
                           std::filesystem::path machine_pressure,
                           const std::filesystem::path& own_cgroup)
    : machine_pressure_(std::move(machine_pressure)) {
  static constexpr FileNames kVersion1{"memory.usage_in_bytes", "memory.limit_in_bytes", "",
                                       "memory.max_usage_in_bytes", "total_inactive_file"};
  static constexpr FileNames kVersion2{"memory.current", "memory.max", "memory.high", "memory.peak",
                                       "inactive_file"};

  names_ = &kVersion1;
  if (const auto path = find_cgroup_path(proc_cgroup, "memory")) {
    find_levels(mount / "memory", *path, path == find_cgroup_path(own_cgroup, "memory"));
  }
  if (!levels_.empty()) return;
  names_ = &kVersion2;
  const auto path = find_cgroup_path(proc_cgroup, "");
  if (!path) return;
  const bool is_own = path == find_cgroup_path(own_cgroup, "");
  find_levels(mount, *path, is_own);
  if (levels_.empty()) find_levels(mount / "unified", *path, is_own);
}

void CgroupMemory::find_levels(const std::filesystem::path& root, const std::string& path,
                               bool is_own) {
  // Inside a container the path is the host's, and the mount shows only its end: use whatever
  // levels exist, and always try the mount itself.
  std::filesystem::path level = std::filesystem::path(path).relative_path();
  while (true) {
    const std::filesystem::path directory = level.empty() ? root : root / level;
    std::error_code ignored;
    if (std::filesystem::exists(directory / names_->limit, ignored) ||
        std::filesystem::exists(directory / names_->current, ignored)) {
      levels_.push_back(directory);
    }
    if (level.empty() || (!is_own && levels_.empty())) return;
    level = level.parent_path();
  }
}

Reading CgroupMemory::current_bytes() const {
  return levels_.empty() ? std::nullopt : read_count(levels_.front() / names_->current);
}

Reading CgroupMemory::peak_bytes() const {
  return levels_.empty() ? std::nullopt : read_count(levels_.front() / names_->peak);
}

Reading CgroupMemory::stall_microseconds() const {
  if (!levels_.empty()) {
    if (const Reading own = read_stall(levels_.front() / "memory.pressure")) return own;
  }
  return read_stall(machine_pressure_);
}

Reading CgroupMemory::limit_of(const std::filesystem::path& level) const {
  Reading least;
  for (const std::string_view name : {names_->limit, names_->soft_limit}) {
    const Reading limit = name.empty() ? std::nullopt : read_count(level / name);
    if (limit && *limit < kNoLimit) least = std::min(least.value_or(*limit), *limit);
  }
  return least;
}

Reading CgroupMemory::available_of(const std::filesystem::path& level) const {
  const Reading limit = limit_of(level);
  const Reading current = read_count(level / names_->current);
  if (!limit || !current) return std::nullopt;
  const std::uint64_t droppable =
      read_stat(level / "memory.stat", names_->inactive_file).value_or(0);
  const std::uint64_t used = *current - std::min(*current, droppable);
  return *limit - std::min(*limit, used);
}

Reading CgroupMemory::least(Reading (CgroupMemory::*of)(const std::filesystem::path&) const) const {
  Reading least;
  for (const auto& level : levels_) {
    const Reading bytes = (this->*of)(level);
    if (bytes) least = std::min(least.value_or(*bytes), *bytes);
  }
  return least;
}

Reading CgroupMemory::limit_bytes() const { return least(&CgroupMemory::limit_of); }

Reading CgroupMemory::available_bytes() const { return least(&CgroupMemory::available_of); }

std::unique_ptr<Probe> make_cgroup_probe(std::optional<pid_t> process_id) {
  const std::string process = process_id ? std::to_string(*process_id) : "self";
  return std::make_unique<FunctionProbe>(
      std::vector<Column>{"cgroup_bytes", "cgroup_peak_bytes", "cgroup_limit_bytes",
                          "memory_stall_microseconds"},
      [cgroup = CgroupMemory("/proc/" + process + "/cgroup")](std::span<Reading> readings) {
        readings[0] = cgroup.current_bytes();
        readings[1] = cgroup.peak_bytes();
        readings[2] = cgroup.limit_bytes();
        readings[3] = cgroup.stall_microseconds();
      });
}

Reading available_memory_bytes(const std::filesystem::path& meminfo, const CgroupMemory& cgroup) {
  std::array<char, 8192> buffer{};
  const auto text = ProcFile(meminfo.string()).read(buffer);
  const Reading machine = text ? find_kib_field(*text, "MemAvailable:") : std::nullopt;
  const Reading group = cgroup.available_bytes();
  if (!machine || !group) return machine ? machine : group;
  return std::min(*machine, *group);
}

}  // namespace runahead::memory
