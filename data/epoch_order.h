#pragma once

#include <cstdint>
#include <vector>

namespace runahead::data {

/// Which examples are in which batch, for any number of epochs. Equal options give equal batches.
/// Not thread-safe.
class EpochOrder {
 public:
  struct Options {
    std::int64_t examples = 1;      ///< In all, >= 1.
    std::int64_t batch_size = 1;    ///< In [1, examples], unless keeps_last_batch.
    bool shuffles = true;           ///< Each epoch in a different order.
    bool keeps_last_batch = false;  ///< If false, examples that fill no batch are left out.
    std::uint64_t seed = 0;
  };

  /// @throws UsageError if an option is out of range.
  explicit EpochOrder(const Options& options);

  [[nodiscard]] std::int64_t batches_in_epoch() const noexcept { return batches_; }

  /// Positions of a batch's examples. `index` counts batches from 0 over all epochs. Quick, unless
  /// the call is for a different epoch than the last one: it then draws that epoch's order.
  [[nodiscard]] std::vector<std::int64_t> batch(std::int64_t index);

 private:
  void draw(std::int64_t epoch);

  Options options_;
  std::int64_t batches_ = 0;
  std::int64_t epoch_ = -1;  ///< The epoch of order_; -1: none was drawn.
  std::vector<std::int64_t> order_{};
};

}  // namespace runahead::data
