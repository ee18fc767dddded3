#pragma once

#include <c10/core/Device.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "core/config/sync_config.h"
#include "core/train/back_end.h"
#include "core/train/policies/adaptive_depth.h"
#include "core/train/policies/adaptive_window.h"
#include "core/train/policies/sync_policy.h"

namespace runahead {

/// Bounds how far any program's loop runs ahead of its device, using a sync policy from a config:
///
///     runahead::Pacer pacer(device, {"window", {{"batches", 2}}});
///     for (...) {                  // forward, backward, optimiser step
///       pacer.after_batch(loss);   // may wait
///     }
///
/// - `cpu`: nothing is in flight, and no call waits.
/// - `acpu`: marks are those of the engine. `budget` sets the device's limit on committed bytes;
///   `adaptive` lowers it to its ceiling, if that is less, and sets the limit on operations after
///   each batch. These limits outlive the pacer, until device::set_limit replaces them.
/// - A device with streams and events (`cuda`): marks are events on the current stream. `budget`
///   and `adaptive` bound the bytes that batches in flight keep, as passed to after_batch.
///
/// Used by one front-end thread.
///
/// On `acpu`, Python's Pacer is this class. On other devices Python's Pacer must work without the
/// device library, so it runs the same policies over torch's own events (apps/python/pacing). The
/// policies depend on neither torch nor a device, so each is written only once.
class Pacer {
 public:
  /// Waits for the device only for `adaptive` on `acpu`, which observes the engine from then on,
  /// and once on a device with events. `acpu` must be registered.
  /// @throws UsageError for `adaptive` on `acpu` if a DeviceSession owns the engine; what
  /// device::synchronize throws.
  Pacer(torch::Device device, const config::SyncConfig& sync);
  ~Pacer();
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  /// Call this when all work of a batch has been issued and nothing of the next one has, not even
  /// its data, and not while a CUDA graph is captured. Waits for this batch, or until the next one
  /// may be issued, as the policy says.
  /// @param loss  What the policy waits for, of one element if it reads its value; undefined: it
  /// waits for everything issued.
  /// @param kept_bytes  Bytes that the batch keeps until its last operation has finished, and that
  /// add up over the batches in flight; unused on `acpu`, which counts them itself.
  /// @throws the error of an operation issued earlier.
  void after_batch(const torch::Tensor& loss = {}, std::uint64_t kept_bytes = 0);

 private:
  void take_device(const train::SyncPolicy& policy);
  [[nodiscard]] train::PolicyContext context();

  std::unique_ptr<train::BackEnd> back_end_;
  std::shared_ptr<train::AdaptiveDepth> depth_{};  ///< Null except for `adaptive` on `acpu`.
  train::AdaptiveWindow window_{};
  bool executes_at_issue_;
  std::unique_ptr<train::Waiter> waiter_{};
};

}  // namespace runahead
