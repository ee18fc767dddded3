#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace runahead::record {

/// The software and hardware that a run used. nullopt if missing or not queried.
struct Environment {
  std::string runahead{};                       ///< Version of this project.
  std::optional<std::string> git{};             ///< Git revision of the build, "-dirty" if changed.
  std::optional<std::string> torch{};           ///< Version; filled in by programs linked to torch.
  std::optional<std::string> cuda{};            ///< Likewise: version of the CUDA toolkit.
  std::string compiler{};                       ///< "gcc 12.2.0".
  std::optional<std::string> host{};            ///< Name of the machine.
  std::optional<std::string> cpu{};             ///< Model name.
  std::optional<std::uint64_t> cores{};         ///< Online CPUs of the machine.
  std::optional<std::uint64_t> memory_bytes{};  ///< Physical memory of the machine.
  std::optional<std::string> gpu{};             ///< Likewise: name of the GPU.
  std::optional<std::string> malloc{};          ///< Likewise: relevant settings of the C library.
  /// Whether another run used the CPUs that this one was pinned to; nullopt if it was not pinned.
  std::optional<bool> cpus_shared{};
};

/// The name of this machine; nullopt if it has none.
[[nodiscard]] std::optional<std::string> host_name();

/// The fields that are known without torch; torch, cuda, gpu, malloc and cpus_shared stay nullopt.
[[nodiscard]] Environment collect_environment();

}  // namespace runahead::record
