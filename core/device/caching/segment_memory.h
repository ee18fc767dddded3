#pragma once

#include <cstdint>
#include <memory>

namespace runahead::device::caching {

/// A range of addresses that chunks are cut from. Its owners are the heap and the operations in
/// flight that use it; the last of them returns it to the system.
class SegmentMemory {
 public:
  SegmentMemory(std::uintptr_t address, std::uint64_t bytes) : address_(address), bytes_(bytes) {}
  virtual ~SegmentMemory() = default;
  SegmentMemory(const SegmentMemory&) = delete;
  SegmentMemory& operator=(const SegmentMemory&) = delete;

  [[nodiscard]] std::uintptr_t address() const noexcept { return address_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Backs a part of a reserved range with memory. @return false if there is none.
  [[nodiscard]] virtual bool map(std::uintptr_t address, std::uint64_t bytes) noexcept = 0;
  /// Returns the memory of a part, not its addresses.
  virtual void unmap(std::uintptr_t address, std::uint64_t bytes) noexcept = 0;

 private:
  const std::uintptr_t address_;
  const std::uint64_t bytes_;
};

/// Where segments come from.
class SegmentSource {
 public:
  SegmentSource() = default;
  virtual ~SegmentSource() = default;
  SegmentSource(const SegmentSource&) = delete;
  SegmentSource& operator=(const SegmentSource&) = delete;

  /// A segment fully backed by memory; null if there is none.
  [[nodiscard]] virtual std::shared_ptr<SegmentMemory> make(std::uint64_t bytes) = 0;
  /// Addresses without memory; null if there are none.
  [[nodiscard]] virtual std::shared_ptr<SegmentMemory> reserve(std::uint64_t bytes) = 0;
  /// Total memory of the device.
  [[nodiscard]] virtual std::uint64_t total_bytes() const noexcept = 0;
};

/// Segments of the host's memory. They are resident at once, as cudaMalloc's are on a GPU, so that
/// RSS includes what is reserved. Thread-safe.
class HostSegments final : public SegmentSource {
 public:
  [[nodiscard]] std::shared_ptr<SegmentMemory> make(std::uint64_t bytes) override;
  [[nodiscard]] std::shared_ptr<SegmentMemory> reserve(std::uint64_t bytes) override;
  [[nodiscard]] std::uint64_t total_bytes() const noexcept override;
};

}  // namespace runahead::device::caching
