#include "core/memory/attribution.h"

#include <algorithm>

namespace runahead::memory {
namespace {

std::optional<std::size_t> place_of(const std::vector<std::string>& columns,
                                    std::string_view name) {
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

}  // namespace

PeakAttribution::PeakAttribution(const std::vector<std::string>& columns) {
  Places places;
  const auto rss = place_of(columns, "rss_bytes");
  if (!rss) return;
  places.rss = *rss;
  for (std::size_t i = 0; i < kCountedParts.size(); ++i) {
    const auto place = place_of(columns, kCountedParts[i].column);
    if (!place) return;
    places.counted[i] = *place;
  }
  places.heap_in_use = place_of(columns, "heap_in_use_bytes");
  places.heap_free = place_of(columns, "heap_free_bytes");
  places_ = places;
}

void PeakAttribution::add(TimePoint time, std::span<const Reading> readings) noexcept {
  if (!places_ || !readings[places_->rss]) return;
  note_heap(readings);
  const std::uint64_t rss_bytes = *readings[places_->rss];
  if (peak_ && rss_bytes <= peak_->rss_bytes) return;
  Attribution attribution{.time = time, .rss_bytes = rss_bytes};
  std::int64_t beside = static_cast<std::int64_t>(rss_bytes);
  for (std::size_t i = 0; i < kCountedParts.size(); ++i) {
    const Reading& reading = readings[places_->counted[i]];
    if (!reading) return;
    attribution.counted_bytes[i] = static_cast<std::int64_t>(*reading);
    beside -= kCountedParts[i].sign * attribution.counted_bytes[i];
  }
  if (!baseline_bytes_) baseline_bytes_ = beside - heap_kept_bytes_;
  attribution.baseline_bytes = *baseline_bytes_;
  attribution.heap_kept_bytes = heap_kept_bytes_;
  attribution.rest_bytes = beside - *baseline_bytes_ - heap_kept_bytes_;
  peak_ = attribution;
}

void PeakAttribution::note_heap(std::span<const Reading> readings) noexcept {
  if (!places_->heap_in_use || !places_->heap_free) return;
  const Reading& in_use = readings[*places_->heap_in_use];
  const Reading& free = readings[*places_->heap_free];
  if (!in_use || !free) return;
  heap_most_in_use_bytes_ = std::max(heap_most_in_use_bytes_, *in_use);
  heap_kept_bytes_ = static_cast<std::int64_t>(std::min(*free, heap_most_in_use_bytes_ - *in_use));
}

}  // namespace runahead::memory
