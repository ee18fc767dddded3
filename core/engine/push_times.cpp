#include "core/engine/push_times.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>

namespace runahead::engine {

PushTimes::PushTimes() { entries_.reserve(kMostEntries); }

void PushTimes::note(std::uint64_t sequence, std::uint64_t oldest, TimePoint now) noexcept {
  if (!is_due(now)) return;
  forget_before(oldest);
  if (!entries_.empty()) {
    const Clock::duration spacing = 2 * (now - entries_.front().time) / kMostEntries;
    if (now - entries_.back().time < spacing) return;
    if (entries_.size() == kMostEntries) thin_out(spacing);
  }
  entries_.push_back({sequence, now});
}

void PushTimes::thin_out(Clock::duration spacing) noexcept {
  std::size_t kept = 1;
  for (const Entry& entry : entries_) {
    if (entry.time - entries_[kept - 1].time >= spacing) entries_[kept++] = entry;
  }
  entries_.resize(kept);
}

std::optional<TimePoint> PushTimes::of(std::uint64_t sequence) const noexcept {
  const auto after = std::upper_bound(
      entries_.begin(), entries_.end(), sequence,
      [](std::uint64_t wanted, const Entry& entry) { return wanted < entry.first_sequence; });
  if (after == entries_.begin()) return std::nullopt;
  return std::prev(after)->time;
}

void PushTimes::forget_before(std::uint64_t oldest) noexcept {
  std::size_t needless = 0;
  while (needless + 1 < entries_.size() && entries_[needless + 1].first_sequence <= oldest) {
    ++needless;
  }
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(needless));
}

TimePoint coarse_now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace runahead::engine
