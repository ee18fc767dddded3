#pragma once

#include <torch/types.h>

#include "core/train/batch.h"

namespace runahead::train {

/// The way a batch made on the host takes to the device. Used by its source's thread only.
class Staging {
 public:
  virtual ~Staging() = default;

  /// `host` on the device. The host tensors may be changed as soon as this returns.
  virtual Batch to_device(const Batch& host) = 0;
};

/// Blocking copies of pageable memory: on `acpu` the device takes its snapshot at issue and
/// returns, on `cpu` nothing is copied.
class PageableStaging final : public Staging {
 public:
  explicit PageableStaging(torch::Device device) : device_(device) {}
  Batch to_device(const Batch& host) override;

 private:
  torch::Device device_;
};

}  // namespace runahead::train
