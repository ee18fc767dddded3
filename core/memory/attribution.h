#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/probe.h"

/// The composition of resident memory:
///
///   RSS = baseline + tensors by class + results being made − untouched + the allocator's cache
///         + the queue's bookkeeping + what the C library's heap keeps + rest
///
/// Every part but the rest comes from a counter: a probe column marked by Column::rss_sign. The
/// baseline is what the process held besides these parts when the first sample was taken: the
/// program, its libraries, LibTorch's own state.
namespace runahead::memory {

inline constexpr std::size_t kMostParts = 32;

/// RSS at one moment, split into parts that add up to it, in bytes.
struct Attribution {
  TimePoint time{};
  std::uint64_t rss_bytes = 0;
  std::int64_t baseline_bytes = 0;
  std::span<const std::string> counted_columns{};        ///< Of the Attributor, which outlives it.
  std::array<std::int64_t, kMostParts> counted_bytes{};  ///< Of these columns, in order.
  std::int64_t heap_kept_bytes = 0;
  std::int64_t rest_bytes = 0;  ///< Not counted by any counter; negative if they overcount.
};

/// Attributes every sample, and remembers the attribution of the highest RSS. Between two readings
/// of a slow lane, its last reading counts.
///
/// The freed memory that the heap keeps is the smaller of two figures: what is free in the heap,
/// and how far its use has fallen from its peak. The system already has the pages of whatever was
/// free at that peak. Not thread-safe.
class Attributor {
 public:
  /// @param columns  The samples' columns; nothing is attributed unless they include `rss_bytes`
  /// and a part of it.
  /// @throws UsageError for more than kMostParts parts.
  explicit Attributor(const std::vector<Column>& columns);

  /// The columns that add() fills: `heap_kept_bytes`, and the rest, as `rest_bytes` or, if counters
  /// overcount, as `overcounted_bytes`. Empty if nothing is attributed.
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }

  /// Adds the next sample; never allocates. @param found  Filled; as many as columns().
  void add(TimePoint time, std::span<const Reading> readings, std::span<Reading> found) noexcept;

  /// The attribution of the first sample with the highest RSS; nullopt if nothing was attributed.
  [[nodiscard]] const std::optional<Attribution>& peak() const noexcept { return peak_; }

 private:
  [[nodiscard]] std::optional<Attribution> attribute(TimePoint time,
                                                     std::span<const Reading> readings) noexcept;
  void note_heap(std::span<const Reading> readings) noexcept;

  struct Places {
    std::size_t rss = 0;

    std::optional<std::size_t> heap_in_use{};
    std::optional<std::size_t> heap_free{};
  };
  /// A column that is part of RSS.
  struct Part {
    std::size_t place = 0;
    int sign = 1;
  };
  std::optional<Places> places_;  ///< Null: there is nothing to attribute.
  std::vector<Part> parts_{};
  std::vector<std::string> part_names_{};  ///< Parallel to parts_.
  std::vector<Column> columns_{};
  std::optional<std::int64_t> baseline_bytes_{};
  std::uint64_t heap_most_in_use_bytes_ = 0;
  std::int64_t heap_kept_bytes_ = 0;
  std::optional<Attribution> peak_{};
};

}  // namespace runahead::memory
