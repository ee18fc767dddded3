#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace runahead::train {

/// The bound on what may be in flight from one batch on.
struct Choice {
  std::uint64_t batch = 0;           ///< The first batch it applies to, counted from 0.
  std::uint64_t most_in_flight = 0;  ///< In operations or batches, as the policy counts.
};

/// The choices of the sync policy `adaptive`, batch by batch; only the latest kMostChoices. Not
/// thread-safe.
class ChoiceSeries {
 public:
  static constexpr std::size_t kMostChoices = 1000;

  /// A batch was issued: choices noted from now on apply from the next batch.
  void end_batch() noexcept { ++batches_; }
  void note(std::uint64_t most_in_flight);
  /// Discards all choices and counts batches from 0.
  void restart() noexcept;

  /// Oldest first.
  [[nodiscard]] std::vector<Choice> choices() const { return {choices_.begin(), choices_.end()}; }

 private:
  std::uint64_t batches_ = 0;
  std::deque<Choice> choices_{};
};

}  // namespace runahead::train
