#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace runahead::record {

/// What a run ran with. nullopt: not there, or not asked.
struct Environment {
  std::string runahead{};                ///< Version of this project.
  std::optional<std::string> git{};      ///< Revision it was built from, "-dirty" if changed.
  std::optional<std::string> torch{};    ///< Filled by a program that is linked to it.
  std::optional<std::string> cuda{};     ///< Likewise: version of the CUDA toolkit.
  std::string compiler{};                ///< "gcc 12.2.0".
  std::optional<std::string> host{};     ///< Name of the machine.
  std::optional<std::string> cpu{};      ///< Model name.
  std::optional<std::uint64_t> cores{};  ///< CPUs of the machine that are online.
  std::optional<std::uint64_t> memory_bytes{};  ///< Physical memory of the machine.
  std::optional<std::string> gpu{};             ///< Likewise: name of the GPU.
  std::optional<std::string> malloc{};          ///< Likewise: the C library's settings that matter.
  /// Whether another run used the CPUs that this one was pinned to; nullopt: it was not pinned.
  std::optional<bool> cpus_shared{};
};

/// What is known without torch; torch, cuda, gpu, malloc and cpus_shared stay nullopt.
[[nodiscard]] Environment collect_environment();

}  // namespace runahead::record
