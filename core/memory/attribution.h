#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/probe.h"

/// What resident memory is made of:
///
///   RSS = baseline + tensors by class + results being made − untouched + the allocator's cache
///         + the queue's bookkeeping + what the C library's heap keeps + rest
///
/// Every part but the rest comes from a counter. The baseline is what the process had beside these
/// parts when the first sample was taken: the program, its libraries, LibTorch's own state.
namespace runahead::memory {

/// A part that is a column of the samples.
struct CountedPart {
  std::string_view column{};
  int sign = 1;  ///< −1: not resident.
};
inline constexpr std::array<CountedPart, 10> kCountedParts{{{"parameters_bytes"},
                                                            {"gradients_bytes"},
                                                            {"optimizer_state_bytes"},
                                                            {"activations_bytes"},
                                                            {"inputs_bytes"},
                                                            {"other_tensors_bytes"},
                                                            {"executing_bytes"},
                                                            {"untouched_bytes", -1},
                                                            {"allocator_cache_bytes"},
                                                            {"bookkeeping_bytes"}}};

/// RSS at one moment, in parts whose sum it is; bytes.
struct Attribution {
  TimePoint time{};
  std::uint64_t rss_bytes = 0;
  std::int64_t baseline_bytes = 0;
  std::array<std::int64_t, kCountedParts.size()> counted_bytes{};  ///< As kCountedParts, unsigned.
  std::int64_t heap_kept_bytes = 0;
  std::int64_t rest_bytes = 0;  ///< What no counter tells of; negative if they tell of too much.
};

/// Attributes every sample, and remembers the attribution of the highest RSS. What a slow lane
/// reads counts as it was read last.
///
/// What the heap keeps of freed memory is the least of what is free in it and what its use has
/// fallen by from its highest: of what was free before, the system has the pages. Not thread-safe.
class Attributor {
 public:
  /// @param columns  Of the samples; without `rss_bytes` and all kCountedParts nothing is
  /// attributed.
  explicit Attributor(const std::vector<std::string>& columns);

  /// What add() finds: `heap_kept_bytes`, and the rest, as `rest_bytes` or, where counters tell of
  /// too much, as `overcounted_bytes`. None if nothing is attributed.
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }

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
    std::array<std::size_t, kCountedParts.size()> counted{};
    std::optional<std::size_t> heap_in_use{};
    std::optional<std::size_t> heap_free{};
  };
  std::optional<Places> places_;  ///< Null: a column is missing.
  std::vector<std::string> columns_{};
  std::optional<std::int64_t> baseline_bytes_{};
  std::uint64_t heap_most_in_use_bytes_ = 0;
  std::int64_t heap_kept_bytes_ = 0;
  std::optional<Attribution> peak_{};
};

}  // namespace runahead::memory
