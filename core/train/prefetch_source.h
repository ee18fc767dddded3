#pragma once

#include <cstddef>
#include <cstdint>

#include "core/train/batch.h"
#include "core/train/batch_loader.h"
#include "core/train/batch_source.h"

namespace runahead::train {

struct PrefetchOptions {
  std::size_t ahead = 1;     ///< Batches that may be ready, including the one being made; >= 1.
  std::int64_t batches = 1;  ///< Batches to be taken in all: no more are made; >= 1.
};

/// Prepares the batches of another source ahead of time, on its own thread and in order: it returns
/// the same batches as that source.
///
/// The thread is one more front end. The work it issues to `acpu` is held at the run-ahead limit
/// like the loop's, so the budget also bounds batches prepared ahead. It inherits the settings of
/// the thread that created this object: grad mode and the like, intra-op threads, the CPUs that it
/// may use. Its allocations on `acpu` count as inputs.
///
/// The destructor blocks until the batch being made is done: for as long as the source takes, or
/// until the run-ahead limit lets it be issued.
class PrefetchSource final : public BatchSource {
 public:
  /// Starts preparing. `source` must outlive this object; only the preparing thread may use it
  /// meanwhile. @throws UsageError if an option is out of range.
  PrefetchSource(BatchSource& source, const PrefetchOptions& options);

  /// The oldest batch not taken yet; blocks until there is one. For a single thread.
  /// @throws what the source threw, once the batches before it were taken, and again on every later
  /// call; UsageError for more batches than the options allow.
  Batch next() override { return loader_.next(); }

 private:
  BatchLoader loader_;
};

}  // namespace runahead::train
