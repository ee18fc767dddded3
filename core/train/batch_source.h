#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/train/batch.h"

namespace runahead::train {

/// Supplies batches. Used by one thread: the front end's, or the one that prepares batches for it
/// (PrefetchSource).
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  /// The next batch, with its tensors on the training device. May take time (a slow source), and
  /// may return when the work is only issued. A source never runs out of batches.
  virtual Batch next() = 0;

  /// Batches until the same examples repeat; nullopt: each batch is new.
  [[nodiscard]] virtual std::optional<std::int64_t> batches_in_epoch() const {
    return std::nullopt;
  }

  /// The CPUs of threads that the source starts itself; without this call, or for none, they have
  /// those of the thread that calls next(). Call it before any next().
  virtual void use_cpus(const std::vector<int>& /*cpus*/) {}

  /// Makes the first next() return this batch, counted from 0. Call it before any next().
  /// @throws UsageError if the source does not support this.
  virtual void start_at(std::int64_t batch) {
    RUNAHEAD_REQUIRE(batch == 0, "this source starts at its first batch");
  }
};

}  // namespace runahead::train
