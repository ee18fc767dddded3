#include "core/memory/sample_series.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/memory/probe.h"

namespace runahead::memory {
namespace {

// A row is stored as words: its time, a bit mask of the columns that were measured, the values.
constexpr std::size_t kTime = 0;
constexpr std::size_t kMask = 1;
constexpr std::size_t kValues = 2;

constexpr std::size_t kLevels = 16;
constexpr std::size_t kMerged = 4;  ///< Rows that become two.

std::uint64_t bit_of(std::size_t column) { return std::uint64_t{1} << column; }

/// Minimum and maximum of one column over some rows, in the order in which they occurred.
struct Extremes {
  std::uint64_t earlier = 0;
  std::uint64_t later = 0;
  int count = 0;  ///< Rows in which the column was measured.
};

Extremes find_extremes(std::span<const std::span<const std::uint64_t>> rows,
                       std::span<const std::uint64_t> masks, std::size_t column) {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  bool rises = true;  // The minimum came before the maximum.
  int count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((masks[i] & bit_of(column)) == 0) continue;
    const std::uint64_t value = rows[i][kValues + column];
    if (count == 0 || value < lowest) {
      lowest = value;
      rises = count == 0;
    }
    if (count == 0 || value > highest) {
      highest = value;
      rises = true;
    }
    ++count;
  }
  return rises ? Extremes{lowest, highest, count} : Extremes{highest, lowest, count};
}

TimePoint time_of(std::uint64_t word) {
  return TimePoint(TimePoint::duration(static_cast<TimePoint::rep>(word)));
}

}  // namespace

SampleSeries::SampleSeries(std::vector<std::string> columns, std::size_t max_rows)
    : columns_(std::move(columns)), peaks_(columns_.size()), levels_(kLevels) {
  RUNAHEAD_REQUIRE(columns_.size() <= kMaxColumns, "a series has at most 64 columns");
  RUNAHEAD_REQUIRE(max_rows >= kMinRows, "a series keeps at least 256 rows");
  const std::size_t words_per_row = kValues + columns_.size();
  const std::size_t newest_rows = max_rows / 2;
  for (std::size_t i = 0; i < kLevels; ++i) {
    levels_[i].capacity = i == 0 ? newest_rows : (max_rows - newest_rows) / (kLevels - 1);
    levels_[i].words.resize(levels_[i].capacity * words_per_row);
  }
}

void SampleSeries::append(TimePoint time, std::span<const Reading> readings) noexcept {
  Row newest = push_row(0);
  newest[kTime] = static_cast<std::uint64_t>(time.time_since_epoch().count());
  newest[kMask] = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    newest[kValues + i] = readings[i].value_or(0);
    if (!readings[i]) continue;
    newest[kMask] |= bit_of(i);
    peaks_[i] = std::max(peaks_[i].value_or(0), *readings[i]);
  }
}

std::size_t SampleSeries::size() const noexcept {
  std::size_t rows = 0;
  for (const Level& level : levels_) rows += level.size;
  return rows;
}

Reading SampleSeries::peak(std::string_view column) const noexcept {
  const auto place = find_column(columns_, column);
  return place ? peaks_[*place] : std::nullopt;
}

void SampleSeries::for_each(
    const std::function<void(TimePoint, std::span<const Reading>)>& visit) const {
  std::vector<Reading> readings(columns_.size());
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    for (std::size_t index = 0; index < level->size; ++index) {
      const ConstRow stored = row(*level, index);
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool is_measured = (stored[kMask] & bit_of(i)) != 0;
        readings[i] = is_measured ? Reading(stored[kValues + i]) : std::nullopt;
      }
      visit(time_of(stored[kTime]), readings);
    }
  }
}

SampleSeries::Row SampleSeries::row(Level& level, std::size_t index) noexcept {
  const std::size_t width = kValues + columns_.size();
  return Row(level.words).subspan((level.first + index) % level.capacity * width, width);
}

SampleSeries::ConstRow SampleSeries::row(const Level& level, std::size_t index) const noexcept {
  const std::size_t width = kValues + columns_.size();
  return ConstRow(level.words).subspan((level.first + index) % level.capacity * width, width);
}

SampleSeries::Row SampleSeries::push_row(std::size_t level) noexcept {
  if (levels_[level].size == levels_[level].capacity) thin_oldest(level);
  ++levels_[level].size;
  return row(levels_[level], levels_[level].size - 1);
}

void SampleSeries::thin_oldest(std::size_t level) noexcept {
  Level& full = levels_[level];
  const std::array<ConstRow, kMerged> oldest{
      row(std::as_const(full), 0), row(std::as_const(full), 1), row(std::as_const(full), 2),
      row(std::as_const(full), 3)};
  if (level + 1 < levels_.size()) {
    const Row earlier = push_row(level + 1);
    const Row later = push_row(level + 1);
    merge(oldest, earlier, later);
    full.first = (full.first + kMerged) % full.capacity;
    full.size -= kMerged;
  } else {
    // There is no coarser level: the two merged rows stay, as the oldest of this one.
    merge(oldest, row(full, 2), row(full, 3));
    full.first = (full.first + 2) % full.capacity;
    full.size -= 2;
  }
}

void SampleSeries::merge(std::span<const ConstRow> rows, Row earlier, Row later) const noexcept {
  const std::uint64_t first_time = rows.front()[kTime];
  const std::uint64_t last_time = rows.back()[kTime];
  std::uint64_t earlier_mask = 0;
  std::uint64_t later_mask = 0;
  // The results may alias `rows`: each column is read completely before it is written.
  std::array<std::uint64_t, kMerged> masks{};
  std::ranges::transform(rows, masks.begin(), [](ConstRow source) { return source[kMask]; });
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Extremes extremes = find_extremes(rows, masks, i);
    earlier[kValues + i] = extremes.earlier;
    later[kValues + i] = extremes.later;
    if (extremes.count >= 1) earlier_mask |= bit_of(i);
    if (extremes.count >= 2) later_mask |= bit_of(i);
  }
  earlier[kTime] = first_time;
  earlier[kMask] = earlier_mask;
  later[kTime] = last_time;
  later[kMask] = later_mask;
}

}  // namespace runahead::memory
