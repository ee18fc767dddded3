#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/report/ratio.h"

namespace runahead::sweep {

/// Whether a candidate keeps the target share of what it is compared with.
enum class Verdict {
  kKeeps,        ///< The whole interval is at or above the target.
  kDoesNotKeep,  ///< The whole interval is below the target.
  kNone,         ///< Neither: the measurements do not decide.
};

/// The ratio of two noisy figures that are measured in pairs, side by side, so that drift affects
/// both. Pairs are added until the noise allows a verdict or there are too many.
///
/// A verdict is attempted after 3, 6, 10 and 15 pairs, from the interval of report::of_pairs. Its
/// quantile, 0.984, is the same at each attempt (Pocock 1977) and was found by simulation so that
/// all attempts together are wrong in 5 % of cases on either side. Thus a ratio that equals the
/// target gets no verdict 9 times in 10, and one that differs from it by a third of the noise of a
/// pair gets the wrong verdict once in 100.
class PairedRatio {
 public:
  static constexpr std::array<std::size_t, 4> kAttempts{3, 6, 10, 15};
  static constexpr std::size_t kMostPairs = kAttempts.back();

  /// @param target  The share to keep, above 0.
  explicit PairedRatio(double target);

  /// Adds a pair. @throws UsageError unless both are above 0, or beyond kMostPairs.
  void add(double candidate, double base);

  [[nodiscard]] std::size_t pairs() const { return log_ratios_.size(); }
  /// As of the last attempt; nullopt before the first. If the pairs do not scatter, the interval is
  /// the ratio itself.
  [[nodiscard]] const std::optional<report::Ratio>& interval() const { return interval_; }
  /// As of the last attempt; kNone before the first.
  [[nodiscard]] Verdict verdict() const;
  /// Whether more pairs could bring a verdict.
  [[nodiscard]] bool needs_more() const;

 private:
  double target_;
  std::vector<double> log_ratios_{};
  std::optional<report::Ratio> interval_{};
};

}  // namespace runahead::sweep
