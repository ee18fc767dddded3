#include "published_probe.h"

#include <optional>

namespace runahead::python {

memory::Reading Published::get(std::size_t place) const noexcept {
  if (!is_set_.load(std::memory_order_acquire)) return std::nullopt;
  return values_[place].load(std::memory_order_relaxed);
}

void PublishedProbe::read(std::span<memory::Reading> readings) noexcept {
  for (std::size_t i = 0; i < readings.size(); ++i) readings[i] = values_->get(i);
}

}  // namespace runahead::python
