#pragma once

#include <torch/types.h>

#include <memory>

#include "core/train/batch.h"
#include "core/train/device_copies.h"
#include "core/train/host_buffers.h"

namespace runahead::train {

/// Moves a batch made on the host to the device. Used by its source's thread only.
class Staging {
 public:
  virtual ~Staging() = default;

  /// Returns `host` on the device. The host tensors may be changed as soon as this returns.
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

/// Combines any kind of host buffers with any kind of device copies. A batch keeps the bytes that
/// both keep.
class CopyStaging final : public Staging {
 public:
  /// @throws UsageError unless both are set.
  CopyStaging(std::unique_ptr<HostBuffers> host, std::unique_ptr<DeviceCopies> copies);
  Batch to_device(const Batch& host) override;

 private:
  std::unique_ptr<HostBuffers> host_;
  std::unique_ptr<DeviceCopies> copies_;
};

}  // namespace runahead::train
