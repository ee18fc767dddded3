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

/// What resident memory is made of:
///
///   RSS = baseline + tensors by class + results being made − untouched + the allocator's cache
///         + the queue's bookkeeping + what the C library's heap keeps + rest
///
/// Every part but the rest comes from a counter: a column of a probe that says so
/// (Column::rss_sign). The baseline is what the process had besides these parts when the first
/// sample was taken: the program, its libraries, LibTorch's own state.
namespace runahead::memory {

inline constexpr std::size_t kMostParts = 32;

/// RSS at one moment, in parts whose sum it is; bytes.
struct Attribution {
  TimePoint time{};
  std::uint64_t rss_bytes = 0;
  std::int64_t baseline_bytes = 0;
  std::span<const std::string> counted_columns{};        ///< Of the Attributor, which outlives it.
  std::array<std::int64_t, kMostParts> counted_bytes{};  ///< Of these columns, in their order.
  std::int64_t heap_kept_bytes = 0;
  std::int64_t rest_bytes = 0;  ///< What no counter counts; negative if they count too much.
};

/// Attributes every sample, and remembers the attribution of the highest RSS. Between two readings
/// of a slow lane, its last reading counts.
///
/// What the heap keeps of freed memory is the smaller of two figures: what is free in the heap, and
/// how far its use has fallen from its highest. The system already has the pages of whatever was
/// free at that highest use. Not thread-safe.
class Attributor {
 public:
  /// @param columns  Of the samples; without `rss_bytes` and a part of it nothing is attributed.
  /// @throws UsageError for more than kMostParts parts.
  explicit Attributor(const std::vector<Column>& columns);

  /// What add() finds: `heap_kept_bytes`, and the rest, as `rest_bytes` or, where counters count
  /// too much, as `overcounted_bytes`. None if nothing is attributed.
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }

  /// The next sample; never allocates. @param found  As many as columns().
  void add(TimePoint time, std::span<const Reading> readings, std::span<Reading> found) noexcept;

  /// Of the sample with the highest RSS, the first such; nullopt if there was none to attribute.
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
  std::vector<std::string> part_names_{};  ///< As parts_.
  std::vector<Column> columns_{};
  std::optional<std::int64_t> baseline_bytes_{};
  std::uint64_t heap_most_in_use_bytes_ = 0;
  std::int64_t heap_kept_bytes_ = 0;
  std::optional<Attribution> peak_{};
};

}  // namespace runahead::memory
