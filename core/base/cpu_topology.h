#pragma once

#include <filesystem>
#include <vector>

namespace runahead {

/// Where the kernel describes the CPUs.
inline constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

/// Orders CPUs for parts of a program that have nothing to do with each other: those of one core
/// are adjacent, and so are the cores of one package.
[[nodiscard]] std::vector<int> order_by_core(const std::vector<int>& cpus,
                                             const std::filesystem::path& cpu_folder = kCpuFolder);

/// Orders CPUs for threads that hand work to each other: one CPU of each core comes first, because
/// two threads on one core slow each other down, and cores that share a last-level cache are
/// adjacent, because data takes several times as long from one such cache to another. CPUs that the
/// kernel does not describe keep their order.
[[nodiscard]] std::vector<int> order_for_threads(
    const std::vector<int>& cpus, const std::filesystem::path& cpu_folder = kCpuFolder);

}  // namespace runahead
