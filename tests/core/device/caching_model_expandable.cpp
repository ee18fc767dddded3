#include <algorithm>
#include <vector>

#include "core/device/caching_model.h"

namespace runahead::device::caching {

std::optional<CachingModel::Place> CachingModel::extend(std::uint64_t size, bool small,
                                                        std::int64_t stream) {
  std::vector<Place> unmapped;
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    if (ranges_[range].small != small || ranges_[range].stream != stream) continue;
    for (std::size_t index = 0; index < ranges_[range].pieces.size(); ++index) {
      if (ranges_[range].pieces[index].state == State::kUnmapped) {
        unmapped.push_back({range, index});
      }
    }
  }
  std::sort(unmapped.begin(), unmapped.end(),
            [&](Place a, Place b) { return at(a).address < at(b).address; });
  for (Place place : unmapped) {
    std::vector<Piece>& pieces = ranges_[place.range].pieces;
    if (place.index > 0 && pieces[place.index - 1].state == State::kFree) --place.index;
    std::uint64_t room = 0;
    for (std::size_t index = place.index; index < pieces.size() && room < size; ++index) {
      const State state = pieces[index].state;
      if (state != State::kFree && state != State::kUnmapped) break;
      room += pieces[index].bytes;
    }
    if (room >= size) return map_from(place, size);
  }
  const std::uint64_t device = settings_.capacity_bytes.value_or(device_bytes_);
  const std::uint64_t step = small ? 2 * kMiB : 20 * kMiB;
  const std::uint64_t bytes = std::max((device + device / 8 + step - 1) / step * step, step);
  ranges_.push_back({bytes, small, true, stream, {fresh(new_address(bytes), bytes)}});
  ranges_.back().pieces[0].state = State::kUnmapped;
  if (bytes < size) return std::nullopt;
  return map_from({ranges_.size() - 1, 0}, size);
}

CachingModel::Place CachingModel::map_from(Place place, std::uint64_t size) {
  Range& range = ranges_[place.range];
  std::vector<Piece>& pieces = range.pieces;
  while (pieces[place.index].state == State::kUnmapped || pieces[place.index].bytes < size) {
    const bool is_mapped = pieces[place.index].state == State::kFree;
    const std::size_t index = place.index + (is_mapped ? 1 : 0);
    const std::uint64_t wanted =
        std::min(size - (is_mapped ? pieces[place.index].bytes : 0), pieces[index].bytes);
    const std::uint64_t mapped = (wanted + page(range) - 1) / page(range) * page(range);
    ++device_allocations_;
    if (mapped < pieces[index].bytes) {
      Piece rest = fresh(pieces[index].address + mapped, pieces[index].bytes - mapped);
      rest.state = State::kUnmapped;
      pieces[index].bytes = mapped;
      pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(index) + 1, rest);
    }
    pieces[index].state = State::kFree;
    place.index = merge_around(range, index);
    pieces[place.index].born = searches_[range.small];
  }
  return place;
}

void CachingModel::unmap(Place place) {
  Range& range = ranges_[place.range];
  std::vector<Piece>& pieces = range.pieces;
  const Piece whole = pieces[place.index];
  const std::uint64_t base = pieces[0].address;
  const std::uint64_t begin =
      base + (whole.address - base + page(range) - 1) / page(range) * page(range);
  const std::uint64_t end = base + (whole.address + whole.bytes - base) / page(range) * page(range);
  if (begin >= end) return;
  ++device_frees_;
  std::vector<Piece> parts;
  const auto add = [&](std::uint64_t from, std::uint64_t to, State state) {
    if (from == to) return;
    parts.push_back(fresh(from, to - from));
    parts.back().state = state;
    parts.back().born = searches_[range.small];
  };
  add(whole.address, begin, State::kFree);
  add(begin, end, State::kUnmapped);
  add(end, whole.address + whole.bytes, State::kFree);
  pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(place.index));
  pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(place.index), parts.begin(),
                parts.end());
  merge_around(range, place.index + (begin > whole.address ? 1 : 0));
  if (pieces.size() == 1 && pieces[0].state == State::kUnmapped) {
    ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(place.range));
  }
}

}  // namespace runahead::device::caching
