#include <array>

#include "core/device/device.h"

namespace runahead::device {
namespace {

class DeviceProbe final : public memory::Probe {
 public:
  [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }

  void read(std::span<memory::Reading> readings) noexcept override {
    const MemoryStats stats = memory_stats();
    const std::array<std::uint64_t, 5> values{stats.live_bytes, stats.reserved_bytes,
                                              stats.promised_bytes, stats.held_bytes,
                                              backlog().operations};
    for (std::size_t i = 0; i < values.size(); ++i) readings[i] = values[i];
  }

 private:
  std::vector<std::string> columns_{"live_bytes", "reserved_bytes", "promised_bytes", "held_bytes",
                                    "operations_in_flight"};
};

}  // namespace

std::unique_ptr<memory::Probe> make_memory_probe() { return std::make_unique<DeviceProbe>(); }

}  // namespace runahead::device
