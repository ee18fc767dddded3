#include "core/device/caching_model.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace runahead::device::caching {

std::optional<CachingModel::Id> CachingModel::allocate(std::uint64_t bytes, std::int64_t stream,
                                                       bool is_last_try) {
  if (is_last_try) {
    release_all();
  } else {
    poll();
  }
  const std::uint64_t size = rounded(bytes);
  const bool small = size <= kMiB;
  std::optional<Place> place;
  if (!is_last_try) {
    place = best_fit(size, small, stream);
    if (!place) collect();
  }
  if (!place) place = grow(size, small, stream);
  if (!place && !is_last_try && release_large(size, small, stream)) {
    place = grow(size, small, stream);
  }
  if (!place) return std::nullopt;
  return take(*place, size, bytes);
}

void CachingModel::record(Id id, std::int64_t stream) {
  const auto [range, index] = *find(id);
  if (ranges_[range].stream != stream) ranges_[range].pieces[index].recorded.insert(stream);
}

void CachingModel::free(Id id, const std::function<std::function<bool()>(std::int64_t)>& event_of) {
  const auto [range, index] = *find(id);
  Piece& piece = ranges_[range].pieces[index];
  piece.state = State::kPending;
  for (const std::int64_t stream : piece.recorded) {
    waiting_[stream].push_back({event_of(stream), id});
  }
  if (std::exchange(piece.recorded, {}).empty()) make_free(id);
}

void CachingModel::release_all() {
  poll();
  for (const bool small : {false, true}) {
    for (const Id id : free_ids(small)) give_back(id);
  }
}

const CachingModel::Piece& CachingModel::piece(Id id) const {
  const auto [range, index] = *find(id);
  return ranges_[range].pieces[index];
}

CachingModel::Counts CachingModel::counts(std::optional<bool> small) const {
  Counts counts;
  for (const Range& range : ranges_) {
    if (small && range.small != *small) continue;
    if (!range.expandable) ++counts.segments;
    for (const Piece& piece : range.pieces) {
      const auto bytes = static_cast<std::int64_t>(piece.bytes);
      if (piece.state != State::kUnmapped) counts.reserved += bytes;
      if (piece.state == State::kAllocated) {
        counts.allocated += bytes;
        ++counts.allocations;
      }
      if (piece.state == State::kAllocated || piece.state == State::kPending) {
        counts.active += bytes;
        counts.requested += static_cast<std::int64_t>(piece.requested);
        ++counts.actives;
      }
      if (piece.state == State::kFree && !range.expandable && range.pieces.size() > 1) {
        counts.inactive_split += bytes;
        ++counts.inactive_splits;
      }
    }
  }
  return counts;
}

std::uint64_t CachingModel::rounded(std::uint64_t bytes) const {
  const std::uint64_t divisions = settings_.roundup_power2_divisions;
  std::uint64_t step = 512;
  if (divisions > 1 && bytes > 512 * divisions) {
    std::uint64_t power = 1;
    while (power * 2 <= bytes) power *= 2;
    step = power / divisions;
  }
  return std::max<std::uint64_t>((bytes + step - 1) / step * step, 512);
}

std::uint64_t CachingModel::segment_for(std::uint64_t size) {
  if (size <= kMiB) return 2 * kMiB;
  if (size < 10 * kMiB) return 20 * kMiB;
  return (size + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB);
}

std::uint64_t CachingModel::page(const Range& range) { return range.small ? 2 * kMiB : 20 * kMiB; }

std::optional<CachingModel::Place> CachingModel::find(Id id) const {
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    for (std::size_t index = 0; index < ranges_[range].pieces.size(); ++index) {
      if (ranges_[range].pieces[index].id == id) return Place{range, index};
    }
  }
  return std::nullopt;
}

std::vector<CachingModel::Place> CachingModel::free_pieces(bool small) const {
  std::vector<Place> places;
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    if (ranges_[range].small != small) continue;
    for (std::size_t index = 0; index < ranges_[range].pieces.size(); ++index) {
      if (ranges_[range].pieces[index].state == State::kFree) places.push_back({range, index});
    }
  }
  std::sort(places.begin(), places.end(), [&](Place a, Place b) {
    const Piece& x = ranges_[a.range].pieces[a.index];
    const Piece& y = ranges_[b.range].pieces[b.index];
    return std::tuple(ranges_[a.range].stream, x.bytes, x.address) <
           std::tuple(ranges_[b.range].stream, y.bytes, y.address);
  });
  return places;
}

std::vector<CachingModel::Id> CachingModel::free_ids(bool small) {
  std::vector<Id> ids;
  for (const Place place : free_pieces(small)) ids.push_back(at(place).id);
  return ids;
}

std::optional<CachingModel::Place> CachingModel::best_fit(std::uint64_t size, bool small,
                                                          std::int64_t stream) {
  if (collects()) ++searches_[small];
  std::vector<Place> fitting;
  for (const Place place : free_pieces(small)) {
    if (ranges_[place.range].stream == stream && at(place).bytes >= size) {
      fitting.push_back(place);
    }
  }
  const auto reach = [&](Place place) {
    const Range& range = ranges_[place.range];
    const bool grows = place.index + 1 < range.pieces.size() &&
                       range.pieces[place.index + 1].state == State::kUnmapped;
    return at(place).bytes + (grows ? range.pieces[place.index + 1].bytes : 0);
  };
  std::size_t chosen = 0;
  while (chosen < fitting.size() && ranges_[fitting[chosen].range].expandable) {
    const bool goes_on =
        settings_.expandable_segments
            ? chosen + 1 < fitting.size() && reach(fitting[chosen + 1]) < reach(fitting[chosen])
            : true;
    if (!goes_on) break;
    ++chosen;
  }
  if (chosen >= fitting.size()) return std::nullopt;
  const std::uint64_t bytes = at(fitting[chosen]).bytes;
  const std::uint64_t limit = settings_.max_split_bytes;
  if (size < limit && bytes >= limit) return std::nullopt;
  if (size >= limit && bytes >= size + 20 * kMiB) return std::nullopt;
  return fitting[chosen];
}

std::optional<CachingModel::Place> CachingModel::grow(std::uint64_t size, bool small,
                                                      std::int64_t stream) {
  const std::uint64_t bytes = segment_for(size);
  if (settings_.capacity_bytes && reserved() + bytes > *settings_.capacity_bytes) {
    return std::nullopt;
  }
  if (settings_.expandable_segments) return extend(size, small, stream);
  ranges_.push_back({bytes, small, false, stream, {fresh(new_address(bytes), bytes)}});
  ranges_.back().pieces[0].state = State::kFree;
  ++device_allocations_;
  return Place{ranges_.size() - 1, 0};
}

CachingModel::Id CachingModel::take(Place place, std::uint64_t size, std::uint64_t requested) {
  Range& range = ranges_[place.range];
  const std::uint64_t rest_bytes = at(place).bytes - size;
  const bool splits = range.small || settings_.expandable_segments
                          ? rest_bytes >= 512
                          : size < settings_.max_split_bytes && rest_bytes > kMiB;
  if (splits) {
    Piece rest = fresh(at(place).address + size, rest_bytes);
    rest.born = searches_[range.small];
    at(place).bytes = size;
    range.pieces.insert(range.pieces.begin() + static_cast<std::ptrdiff_t>(place.index) + 1, rest);
  }
  at(place).state = State::kAllocated;
  at(place).requested = requested;
  at(place).id = ++last_id_;
  return last_id_;
}

void CachingModel::poll() {
  for (auto& [stream, waits] : waiting_) {
    while (!waits.empty() && waits.front().is_over()) {
      const Id id = waits.front().id;
      waits.erase(waits.begin());
      const bool waits_still = std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& of) {
        return std::any_of(of.second.begin(), of.second.end(),
                           [&](const Wait& wait) { return wait.id == id; });
      });
      if (!waits_still) make_free(id);
    }
  }
}

void CachingModel::make_free(Id id) {
  const Place place = *find(id);
  at(place).state = State::kFree;
  Range& range = ranges_[place.range];
  range.pieces[merge_around(range, place.index)].born = searches_[range.small];
}

std::size_t CachingModel::merge_around(Range& range, std::size_t index) {
  std::vector<Piece>& pieces = range.pieces;
  const State state = pieces[index].state;
  if (index + 1 < pieces.size() && pieces[index + 1].state == state) {
    pieces[index].bytes += pieces[index + 1].bytes;
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(index) + 1);
  }
  if (index > 0 && pieces[index - 1].state == state) {
    pieces[index].bytes += pieces[index - 1].bytes;
    pieces[index].address = pieces[index - 1].address;
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(--index));
  }
  return index;
}

void CachingModel::give_back(Id id) {
  const auto found = find(id);
  if (!found) return;  // Merged with one that was given back before.
  Range& range = ranges_[found->range];
  if (range.expandable) {
    unmap(*found);
  } else if (range.pieces.size() == 1) {
    ++device_frees_;
    ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(found->range));
  }
}

bool CachingModel::release_large(std::uint64_t size, bool small, std::int64_t stream) {
  const std::uint64_t limit = settings_.max_split_bytes;
  if (limit == engine::AllocatorSettings::kNoSplitLimit) return false;
  const std::uint64_t wanted = std::max(size, limit);
  std::vector<Id> oversized;
  for (const Place place : free_pieces(small)) {
    const bool is_whole =
        !ranges_[place.range].expandable && ranges_[place.range].pieces.size() == 1;
    if (ranges_[place.range].stream != stream || at(place).bytes < limit) continue;
    if (at(place).bytes >= wanted) {
      if (is_whole) give_back(at(place).id);
      return is_whole;
    }
    oversized.push_back(is_whole ? at(place).id : 0);
  }
  std::uint64_t released = 0;
  while (released < wanted && !oversized.empty() && oversized.back() != 0) {
    released += piece(oversized.back()).bytes;
    give_back(oversized.back());
    oversized.pop_back();
  }
  return released >= wanted;
}

bool CachingModel::collects() const {
  return settings_.capacity_bytes && settings_.garbage_collection_threshold > 0;
}

void CachingModel::collect() {
  if (!collects()) return;
  const auto threshold = static_cast<std::uint64_t>(settings_.garbage_collection_threshold *
                                                    static_cast<double>(*settings_.capacity_bytes));
  if (reserved() <= threshold) return;
  const std::uint64_t wanted = reserved() - threshold;
  std::uint64_t released = 0;
  while (released < wanted) {
    std::vector<std::pair<Id, std::uint64_t>> old;
    double ages = 0;
    for (const Place place : free_pieces(false)) {
      const Range& range = ranges_[place.range];
      if (range.expandable || range.pieces.size() != 1) continue;
      old.emplace_back(at(place).id, searches_[false] - at(place).born);
      ages += static_cast<double>(old.back().second);
    }
    if (old.empty()) return;
    const double average = ages / static_cast<double>(old.size());
    for (const auto& [id, age] : old) {
      if (static_cast<double>(age) < average) continue;
      released += piece(id).bytes;
      give_back(id);
    }
  }
}

std::uint64_t CachingModel::reserved() const {
  return static_cast<std::uint64_t>(counts().reserved);
}

std::uint64_t CachingModel::new_address(std::uint64_t bytes) {
  return std::exchange(next_address_, next_address_ + bytes + kMiB);
}

CachingModel::Piece CachingModel::fresh(std::uint64_t address, std::uint64_t bytes) {
  return {.address = address, .bytes = bytes, .id = ++last_id_};
}

}  // namespace runahead::device::caching
