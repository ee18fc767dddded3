#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace runahead::train {

/// From which batch on (the first is 0) how much was let be in flight.
struct Choice {
  std::uint64_t batch = 0;
  std::uint64_t most_in_flight = 0;  ///< Operations or batches: what is chosen by.
};

/// What the sync policy `adaptive` chose, batch by batch; of very many choices the latest. Not for
/// several threads.
class ChoiceSeries {
 public:
  static constexpr std::size_t kMostChoices = 1000;

  /// A batch was issued: what is noted from now on counts from the next.
  void end_batch() noexcept { ++batches_; }
  void note(std::uint64_t most_in_flight);
  /// Forgets all choices and counts batches from 0.
  void restart() noexcept;

  /// In their order.
  [[nodiscard]] std::vector<Choice> choices() const { return {choices_.begin(), choices_.end()}; }

 private:
  std::uint64_t batches_ = 0;
  std::deque<Choice> choices_{};
};

}  // namespace runahead::train
