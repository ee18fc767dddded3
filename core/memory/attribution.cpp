#include "core/memory/attribution.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/memory/probe.h"

namespace runahead::memory {

Attributor::Attributor(const std::vector<Column>& columns) {
  const std::vector<std::string> names = names_of(columns);
  for (std::size_t place = 0; place < columns.size(); ++place) {
    if (columns[place].rss_sign == 0) continue;
    parts_.push_back({.place = place, .sign = columns[place].rss_sign});
    part_names_.push_back(names[place]);
  }
  RUNAHEAD_REQUIRE(parts_.size() <= kMostParts, "RSS has at most 32 parts");
  const auto rss = find_column(names, "rss_bytes");
  if (!rss || parts_.empty()) return;
  places_ = Places{.rss = *rss,
                   .heap_in_use = find_column(names, "heap_in_use_bytes"),
                   .heap_free = find_column(names, "heap_free_bytes")};
  columns_ = {{"heap_kept_bytes", "kept by the C library", 1},
              {"rest_bytes", "the rest, which no counter covers"},
              {"overcounted_bytes"}};
}

void Attributor::add(TimePoint time, std::span<const Reading> readings,
                     std::span<Reading> found) noexcept {
  std::ranges::fill(found, std::nullopt);
  const std::optional<Attribution> attribution = attribute(time, readings);
  if (!attribution) return;
  found[0] = static_cast<std::uint64_t>(attribution->heap_kept_bytes);
  found[1] = static_cast<std::uint64_t>(std::max<std::int64_t>(attribution->rest_bytes, 0));
  found[2] = static_cast<std::uint64_t>(std::max<std::int64_t>(-attribution->rest_bytes, 0));
  if (!peak_ || attribution->rss_bytes > peak_->rss_bytes) peak_ = attribution;
}

std::optional<Attribution> Attributor::attribute(TimePoint time,
                                                 std::span<const Reading> readings) noexcept {
  if (!places_ || !readings[places_->rss]) return std::nullopt;
  note_heap(readings);
  Attribution attribution{
      .time = time, .rss_bytes = *readings[places_->rss], .counted_columns = part_names_};
  auto besides = static_cast<std::int64_t>(attribution.rss_bytes) - heap_kept_bytes_;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Reading& reading = readings[parts_[i].place];
    if (!reading) return std::nullopt;
    attribution.counted_bytes[i] = static_cast<std::int64_t>(*reading);
    besides -= parts_[i].sign * attribution.counted_bytes[i];
  }
  if (!baseline_bytes_) baseline_bytes_ = besides;
  attribution.baseline_bytes = *baseline_bytes_;
  attribution.heap_kept_bytes = heap_kept_bytes_;
  attribution.rest_bytes = besides - *baseline_bytes_;
  return attribution;
}

void Attributor::note_heap(std::span<const Reading> readings) noexcept {
  if (!places_->heap_in_use || !places_->heap_free) return;
  const Reading& in_use = readings[*places_->heap_in_use];
  const Reading& free = readings[*places_->heap_free];
  if (!in_use || !free) return;
  heap_most_in_use_bytes_ = std::max(heap_most_in_use_bytes_, *in_use);
  heap_kept_bytes_ = static_cast<std::int64_t>(std::min(*free, heap_most_in_use_bytes_ - *in_use));
}

}  // namespace runahead::memory
