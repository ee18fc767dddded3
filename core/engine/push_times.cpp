#include "core/engine/push_times.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>

namespace runahead::engine {

PushTimes::PushTimes() { entries_.reserve(kMostEntries); }

void PushTimes::note(std::uint64_t sequence, std::uint64_t oldest, TimePoint now) noexcept {
  if (!entries_.empty() && entries_.back().time == now) return;
  forget_before(oldest);
  if (entries_.size() == kMostEntries) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); i += 2) entries_[kept++] = entries_[i];
    entries_.resize(kept);
  }
  entries_.push_back({sequence, now});
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
