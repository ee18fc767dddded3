#include "published_probe.h"

#include <optional>

namespace runahead::python {

memory::Reading Published::get(std::size_t place) const noexcept {
  const std::uint64_t value = values_[place].load(std::memory_order_relaxed);
  return value == kNone ? std::nullopt : memory::Reading(value);
}

void PublishedProbe::read(std::span<memory::Reading> readings) noexcept {
  for (std::size_t i = 0; i < readings.size(); ++i) readings[i] = values_->get(i);
}

}  // namespace runahead::python
