#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/probe.h"

namespace runahead::memory {

/// Samples over time, in bounded memory that is allocated (and touched) at construction: appending
/// never allocates, however long it runs.
///
/// The newest samples (half of the bound) are kept as they came. Older ones are thinned: every four
/// rows become two, which hold each column's minimum and maximum of the four in the order in which
/// they occurred, at the times of the first and the last of the four. Still older rows are thinned
/// again, so that resolution halves as age doubles. No column's minimum or maximum is ever lost;
/// a thinned row's columns need not be from the same moment.
///
/// With 100,000 rows at 1 kHz: the last 50 s whole, the last 15 hours in steps of at most 8 s.
///
/// Not thread-safe.
class SampleSeries {
 public:
  static constexpr std::size_t kMaxColumns = 64;
  static constexpr std::size_t kMinRows = 256;

  /// @param columns   At most kMaxColumns names, all different.
  /// @param max_rows  The bound on rows, >= kMinRows. A row takes 8 · (columns + 2) bytes.
  /// @throws UsageError if either is out of range.
  SampleSeries(std::vector<std::string> columns, std::size_t max_rows);

  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }

  /// Adds a row; `time` must not precede the previous row's. O(1) amortised, without allocation.
  /// @param readings  As many as there are columns.
  void append(TimePoint time, std::span<const Reading> readings) noexcept;

  [[nodiscard]] std::size_t size() const noexcept;  ///< Rows kept, <= max_rows.

  /// The highest reading ever appended, exactly; nullopt: never measured, or no such column.
  [[nodiscard]] Reading peak(std::string_view column) const noexcept;

  /// Calls `visit` with each row kept, oldest first.
  void for_each(const std::function<void(TimePoint, std::span<const Reading>)>& visit) const;

 private:
  /// A ring of rows. Older levels are coarser.
  struct Level {
    std::vector<std::uint64_t> words{};
    std::size_t capacity = 0;  ///< In rows.
    std::size_t first = 0;
    std::size_t size = 0;
  };
  using Row = std::span<std::uint64_t>;
  using ConstRow = std::span<const std::uint64_t>;

  [[nodiscard]] Row row(Level& level, std::size_t index) noexcept;
  [[nodiscard]] ConstRow row(const Level& level, std::size_t index) const noexcept;
  [[nodiscard]] Row push_row(std::size_t level) noexcept;
  void thin_oldest(std::size_t level) noexcept;
  void merge(std::span<const ConstRow> rows, Row earlier, Row later) const noexcept;

  std::vector<std::string> columns_;
  std::vector<Reading> peaks_;
  std::vector<Level> levels_;
};

}  // namespace runahead::memory
