#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/sweep/paired_ratio.h"

namespace runahead::sweep {

/// The candidates of a search, smallest first; a larger one never keeps less.
struct Ladder {
  std::vector<std::uint64_t> values{};     ///< Ascending.
  std::vector<std::size_t> first_looks{};  ///< Ascending indices, tried in turn until one keeps.
};

/// Windows of 1 to `most` batches; first looks: 1, 2, 3, 4, 6, 8, 12, 16, 24, … and `most`.
[[nodiscard]] Ladder window_ladder(std::uint64_t most);

/// Byte sizes from `least` to below `most` in steps of at most 5 %, each of which binary_size_text
/// writes in few digits; only the first if `most` is no larger. First looks: the first, then steps
/// that double, and the last.
[[nodiscard]] Ladder byte_ladder(std::uint64_t least, std::uint64_t most);

/// `bytes`, rounded up by at most 5 % to a whole number of bytes, KiB, MiB or GiB. With a prefix,
/// that number is at least 20.
[[nodiscard]] std::uint64_t round_up_to_text(std::uint64_t bytes);

/// The exact size in the form that configs accept: "47MiB", "900KiB", "1000".
[[nodiscard]] std::string binary_size_text(std::uint64_t bytes);

/// The result of a search.
struct SmallestFound {
  std::optional<std::uint64_t> smallest{};  ///< The smallest that was found to keep.
  /// Whether the candidate before it (if none was found, the last one) was found not to keep, so
  /// that nothing smaller does. False if `smallest` is the first candidate, or if noise left the
  /// candidate before it without a verdict.
  bool below_does_not = false;
  bool stopped_by_noise = false;  ///< Two candidates had no verdict; the search ended there.
  bool stopped_by_bound = false;  ///< The bound of runs ended it; set by Tuner.
};

/// The smallest of `ladder` that keeps. Tries the first looks in ascending order until one keeps,
/// then bisects down to the largest that does not. A candidate without a verdict counts as not
/// keeping; the second such candidate ends the search.
/// @param judge  Measures a candidate. What it throws ends the search.
[[nodiscard]] SmallestFound find_smallest(const Ladder& ladder,
                                          const std::function<Verdict(std::uint64_t)>& judge);

}  // namespace runahead::sweep
