#include "core/device/storage/in_flight_ranges.h"

#include <algorithm>
#include <iterator>

namespace runahead::device {

/// Splits the range that spans `address`, if any.
void InFlightRanges::cut_at(std::uintptr_t address) {
  const auto range = first_overlapping(address);
  if (range == ranges_.end() || range->first >= address) return;
  ranges_.emplace(address, range->second);
  ranges_.find(range->first)->second.end = address;
}

InFlightRanges::Ranges::const_iterator InFlightRanges::first_overlapping(
    std::uintptr_t address) const noexcept {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return after;
  const auto before = std::prev(after);
  return before->second.end > address ? before : after;
}

void InFlightRanges::add(std::uintptr_t address, std::uint64_t bytes, Block& user, bool replaces) {
  const std::uintptr_t end = address + bytes;
  if (replaces) {
    clear(address, bytes);
    ranges_.emplace(address, Range{.end = end, .users = {&user}});
    return;
  }
  cut_at(address);
  cut_at(end);
  std::uintptr_t begin = address;
  auto range = ranges_.lower_bound(address);
  while (begin < end) {
    if (range == ranges_.end() || range->first > begin) {
      const std::uintptr_t gap_end = range == ranges_.end() ? end : std::min(end, range->first);
      range = ranges_.emplace(begin, Range{.end = gap_end, .users = {&user}}).first;
    } else {
      range->second.users.push_back(&user);
    }
    begin = range->second.end;
    ++range;
  }
}

void InFlightRanges::remove(std::uintptr_t address, std::uint64_t bytes,
                            const Block& user) noexcept {
  auto range = ranges_.lower_bound(address);
  while (range != ranges_.end() && range->first < address + bytes) {
    std::erase(range->second.users, &user);
    range = range->second.users.empty() ? ranges_.erase(range) : std::next(range);
  }
}

void InFlightRanges::clear(std::uintptr_t address, std::uint64_t bytes) {
  cut_at(address);
  cut_at(address + bytes);
  ranges_.erase(ranges_.lower_bound(address), ranges_.lower_bound(address + bytes));
}

std::vector<Block*> InFlightRanges::users(std::uintptr_t address, std::uint64_t bytes) const {
  std::vector<Block*> found;
  for (auto range = first_overlapping(address);
       range != ranges_.end() && range->first < address + bytes; ++range) {
    for (Block* const user : range->second.users) {
      if (std::ranges::find(found, user) == found.end()) found.push_back(user);
    }
  }
  return found;
}

bool InFlightRanges::is_used(std::uintptr_t address, std::uint64_t bytes) const noexcept {
  const auto range = first_overlapping(address);
  return range != ranges_.end() && range->first < address + bytes;
}

}  // namespace runahead::device
