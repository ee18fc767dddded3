#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace runahead::cuda {

/// NVIDIA's management library, which comes with the driver: found at run time, because a machine
/// that builds this need not have it. Only what the probes ask for. Makes no context. Thread-safe.
class Nvml {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";

  /// null if there is no such library, or it does not start. @param library  As dlopen takes it.
  [[nodiscard]] static std::shared_ptr<const Nvml> open(const char* library = kLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// A device of the library, valid as long as it is open.
  using Device = void*;

  /// By its place on the PCI bus ("0000:3B:00.0"), which stays the same whatever
  /// CUDA_VISIBLE_DEVICES says; null if it knows none there.
  [[nodiscard]] Device find_device(const std::string& pci_bus_id) const noexcept;

  /// Device memory of one process; nullopt if the library does not show that process by that id (as
  /// in containers, where it may show the host's ids), or not its memory.
  [[nodiscard]] std::optional<std::uint64_t> process_bytes(Device device,
                                                           std::uint32_t process_id) const noexcept;

  /// Share of the last sample period, up to a second, in which a kernel of any process ran, in
  /// percent.
  [[nodiscard]] std::optional<std::uint64_t> utilisation_percent(Device device) const noexcept;

 private:
  struct Functions;
  Nvml(void* library, std::unique_ptr<Functions> functions);

  void* library_;
  std::unique_ptr<Functions> functions_;
};

}  // namespace runahead::cuda
