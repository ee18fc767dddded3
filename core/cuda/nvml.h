#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace runahead::cuda {

/// NVIDIA's management library, which comes with the driver. It is loaded at run time, because a
/// machine that builds this need not have it. Wraps only what the probes need. Creates no context.
/// Thread-safe.
class Nvml {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";

  /// null if the library is missing or cannot be initialised. @param library  Name for dlopen.
  [[nodiscard]] static std::shared_ptr<const Nvml> open(const char* library = kLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// A device handle of the library, valid as long as the library is open.
  using Device = void*;

  /// Finds a device by its PCI bus id ("0000:3B:00.0"), which does not depend on
  /// CUDA_VISIBLE_DEVICES; null if the library knows no such device.
  [[nodiscard]] Device find_device(const std::string& pci_bus_id) const noexcept;

  /// Device memory of one process. nullopt if the library does not list the process under that id
  /// (in containers it may list the ids of the host), or does not report its memory.
  [[nodiscard]] std::optional<std::uint64_t> process_bytes(Device device,
                                                           std::uint32_t process_id) const noexcept;

  /// Percentage of the last sample period, of up to a second, in which a kernel of any process ran.
  [[nodiscard]] std::optional<std::uint64_t> utilisation_percent(Device device) const noexcept;

 private:
  struct Functions;
  Nvml(void* library, std::unique_ptr<Functions> functions);

  void* library_;
  std::unique_ptr<Functions> functions_;
};

}  // namespace runahead::cuda
