#pragma once

#include <c10/core/Device.h>
#include <torch/types.h>

#include <memory>
#include <optional>

#include "core/device/device.h"
#include "core/train/policies/mark.h"

namespace runahead::train {

using device::ClaimedBytes;

/// The loop's interface to the side that executes: marks and waits, the same for every device.
///
/// One object serves one front-end thread. Every wait may rethrow the error of an operation issued
/// earlier (on `acpu`, engine::OperationError with the operation's name).
class BackEnd : public MarkSource {
 public:
  /// Keeps the memory of a tensor alive, but not the tensor itself. On `acpu` that memory counts as
  /// held. Null for an undefined tensor and on devices whose queue keeps no memory. Never blocks.
  /// The result may be dropped on any thread.
  [[nodiscard]] virtual std::shared_ptr<const void> hold_memory(const torch::Tensor&) const {
    return nullptr;
  }

  /// Live, promised and held bytes; nullopt if the device does not count memory in flight.
  /// Thread-safe; may be called in `on_finished`.
  [[nodiscard]] virtual std::optional<ClaimedBytes> claimed_bytes() const { return std::nullopt; }

  /// Blocks until the values of `tensor` are computed, without copying them: on `acpu` until the
  /// operations that write it have finished, on `cuda` until its stream has.
  virtual void wait_until_computed(const torch::Tensor& tensor) = 0;

  /// Blocks until nothing is in flight.
  virtual void synchronize() = 0;
};

/// The back end of `device`: `cpu` (executes at issue), `acpu`, or one with streams and events.
[[nodiscard]] std::unique_ptr<BackEnd> make_back_end(torch::Device device);

}  // namespace runahead::train
