#pragma once

#include "core/train/batch.h"

namespace runahead::train {

/// Where batches come from. Used by one thread: the front end's, or the one that prepares batches
/// for it (PrefetchSource).
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  /// The next batch, its tensors on the device that trains. May take time (a slow source) and may
  /// only issue the work; never ends.
  virtual Batch next() = 0;
};

}  // namespace runahead::train
