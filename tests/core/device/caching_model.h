#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/engine/allocator_settings.h"

namespace runahead::device::caching {

/// The caching allocator's rules once more, as plainly as they can be written: every list is a
/// vector that is searched from its beginning. Slow, and written from the documentation alone, so
/// that CachingHeap can be compared with it.
class CachingModel {
 public:
  using Id = std::uint64_t;
  enum class State { kAllocated, kPending, kFree, kUnmapped };

  struct Piece {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    State state = State::kFree;
    std::uint64_t requested = 0;
    Id id = 0;
    std::set<std::int64_t> recorded{};
    std::uint64_t born = 0;  ///< Searches of the pool when it became free.
  };
  struct Range {
    std::uint64_t bytes = 0;
    bool small = false;
    bool expandable = false;
    std::int64_t stream = 0;
    std::vector<Piece> pieces{};
  };
  struct Counts {
    std::int64_t allocated = 0, active = 0, reserved = 0, requested = 0, inactive_split = 0;
    std::int64_t allocations = 0, actives = 0, segments = 0, inactive_splits = 0;
    std::int64_t device_allocations = 0, device_frees = 0;
    bool operator==(const Counts&) const = default;
  };

  explicit CachingModel(const engine::AllocatorSettings& settings, std::uint64_t device_bytes,
                        std::uint64_t first_address)
      : settings_(settings), device_bytes_(device_bytes), next_address_(first_address) {}

  /// @return the piece's id, or nullopt.
  std::optional<Id> allocate(std::uint64_t bytes, std::int64_t stream, bool is_last_try);

  void record(Id id, std::int64_t stream);

  void free(Id id, const std::function<std::function<bool()>(std::int64_t)>& event_of);

  void release_all();

  [[nodiscard]] const Piece& piece(Id id) const;
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  [[nodiscard]] Counts counts(std::optional<bool> small = std::nullopt) const;
  [[nodiscard]] std::int64_t device_allocations() const { return device_allocations_; }
  [[nodiscard]] std::int64_t device_frees() const { return device_frees_; }

 private:
  static constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  struct Place {
    std::size_t range = 0;
    std::size_t index = 0;
  };
  struct Wait {
    std::function<bool()> is_over{};
    Id id = 0;
  };

  [[nodiscard]] std::uint64_t rounded(std::uint64_t bytes) const;
  [[nodiscard]] static std::uint64_t segment_for(std::uint64_t size);
  [[nodiscard]] static std::uint64_t page(const Range& range);

  [[nodiscard]] std::optional<Place> find(Id id) const;
  [[nodiscard]] Piece& at(Place place) { return ranges_[place.range].pieces[place.index]; }

  /// Free pieces of a pool by stream, size and address.
  [[nodiscard]] std::vector<Place> free_pieces(bool small) const;
  [[nodiscard]] std::vector<Id> free_ids(bool small);

  [[nodiscard]] std::optional<Place> best_fit(std::uint64_t size, bool small, std::int64_t stream);

  [[nodiscard]] std::optional<Place> grow(std::uint64_t size, bool small, std::int64_t stream);

  [[nodiscard]] std::optional<Place> extend(std::uint64_t size, bool small, std::int64_t stream);

  [[nodiscard]] Place map_from(Place place, std::uint64_t size);

  Id take(Place place, std::uint64_t size, std::uint64_t requested);

  void poll();

  void make_free(Id id);

  /// @return where the merged piece is.
  static std::size_t merge_around(Range& range, std::size_t index);

  void give_back(Id id);

  void unmap(Place place);

  [[nodiscard]] bool release_large(std::uint64_t size, bool small, std::int64_t stream);

  [[nodiscard]] bool collects() const;
  void collect();

  [[nodiscard]] std::uint64_t reserved() const;
  [[nodiscard]] std::uint64_t new_address(std::uint64_t bytes);
  [[nodiscard]] Piece fresh(std::uint64_t address, std::uint64_t bytes);

  engine::AllocatorSettings settings_;
  std::uint64_t device_bytes_;
  std::uint64_t next_address_;
  Id last_id_ = 0;
  std::vector<Range> ranges_{};
  std::map<std::int64_t, std::vector<Wait>> waiting_{};
  std::map<bool, std::uint64_t> searches_{};
  std::int64_t device_allocations_ = 0;
  std::int64_t device_frees_ = 0;
};

}  // namespace runahead::device::caching
