#include "core/sweep/smallest_search.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace runahead::sweep {

namespace {

constexpr double kByteStep = 1.05;
constexpr std::uint64_t kLeastOfAUnit = 20;  // Steps of one are then at most 5 %.
constexpr int kMostWithoutVerdict = 2;

/// Largest first.
constexpr std::array<std::pair<std::uint64_t, const char*>, 3> kUnits{
    {{std::uint64_t{1} << 30, "GiB"}, {std::uint64_t{1} << 20, "MiB"}, {1024, "KiB"}}};

/// The largest unit of which a size is at least 20, or 1.
std::uint64_t unit_of(std::uint64_t bytes) {
  for (const auto& [unit, name] : kUnits) {
    if (bytes >= kLeastOfAUnit * unit) return unit;
  }
  return 1;
}

/// Indices 0, 1, 2, 3, 5, 7, 11, 15, 23, … and the last.
std::vector<std::size_t> window_looks(std::size_t count) {
  std::vector<std::size_t> looks;
  for (std::size_t power = 1; power <= count; power *= 2) {
    looks.push_back(power - 1);
    if (power > 1 && power + power / 2 <= count) looks.push_back(power + power / 2 - 1);
  }
  if (count > 0 && looks.back() != count - 1) looks.push_back(count - 1);
  return looks;
}

/// Indices 0, 2, 6, 14, 30, … and the last.
std::vector<std::size_t> byte_looks(std::size_t count) {
  std::vector<std::size_t> looks;
  for (std::size_t index = 0; index < count; index = 2 * index + 2) looks.push_back(index);
  if (count > 0 && looks.back() != count - 1) looks.push_back(count - 1);
  return looks;
}

/// One search, which narrows the range between candidates that do not keep and one that does.
class Search {
 public:
  Search(const Ladder& ladder, const std::function<Verdict(std::uint64_t)>& judge)
      : ladder_(ladder), judge_(judge) {}

  SmallestFound run() {
    for (const std::size_t index : ladder_.first_looks) {
      if (keeping_ || is_stopped()) break;
      look_at(index);
    }
    while (keeping_ && *keeping_ > next_ && !is_stopped()) look_at(next_ + (*keeping_ - next_) / 2);
    return {.smallest = keeping_ ? std::optional(ladder_.values[*keeping_]) : std::nullopt,
            .below_does_not = last_below_does_not_ && (!keeping_ || *keeping_ == next_),
            .stopped_by_noise = is_stopped()};
  }

 private:
  void look_at(std::size_t index) {
    const Verdict verdict = judge_(ladder_.values[index]);
    if (verdict == Verdict::kKeeps) {
      keeping_ = index;
      return;
    }
    next_ = index + 1;
    last_below_does_not_ = verdict == Verdict::kDoesNotKeep;
    if (verdict == Verdict::kNone) ++without_verdict_;
  }

  [[nodiscard]] bool is_stopped() const { return without_verdict_ >= kMostWithoutVerdict; }

  const Ladder& ladder_;
  const std::function<Verdict(std::uint64_t)>& judge_;
  std::optional<std::size_t> keeping_{};  ///< The smallest index that keeps.
  std::size_t next_ = 0;                  ///< All below it do not keep or have no verdict.
  bool last_below_does_not_ = false;      ///< Whether the one just below next_ does not keep.
  int without_verdict_ = 0;
};

}  // namespace

Ladder window_ladder(std::uint64_t most) {
  Ladder ladder;
  for (std::uint64_t window = 1; window <= most; ++window) ladder.values.push_back(window);
  ladder.first_looks = window_looks(ladder.values.size());
  return ladder;
}

Ladder byte_ladder(std::uint64_t least, std::uint64_t most) {
  Ladder ladder;
  std::uint64_t bytes = round_up_to_text(std::max<std::uint64_t>(least, 1));
  do {
    ladder.values.push_back(bytes);
    const auto step = static_cast<std::uint64_t>(static_cast<double>(bytes) * kByteStep);
    const std::uint64_t next = step / unit_of(step) * unit_of(step);
    bytes = next > bytes ? next : round_up_to_text(bytes + 1);
  } while (bytes < most);
  ladder.first_looks = byte_looks(ladder.values.size());
  return ladder;
}

std::uint64_t round_up_to_text(std::uint64_t bytes) {
  const std::uint64_t unit = unit_of(bytes);
  return (bytes + unit - 1) / unit * unit;
}

std::string binary_size_text(std::uint64_t bytes) {
  for (const auto& [unit, name] : kUnits) {
    if (bytes >= unit && bytes % unit == 0) return std::to_string(bytes / unit) + name;
  }
  return std::to_string(bytes);
}

SmallestFound find_smallest(const Ladder& ladder,
                            const std::function<Verdict(std::uint64_t)>& judge) {
  return Search(ladder, judge).run();
}

}  // namespace runahead::sweep
