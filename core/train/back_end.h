#pragma once

#include <c10/core/Device.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/clock.h"

namespace runahead::train {

/// A point in the order of what the front end issued. Used by the front end's thread only.
class Mark {
 public:
  virtual ~Mark() = default;
  /// Whether everything issued before the mark has finished. Never blocks.
  [[nodiscard]] virtual bool is_finished() = 0;
  /// Blocks until it has. Throws nothing: errors stay with what they poisoned.
  virtual void wait() = 0;
};

/// Memory that a device has claimed for tensors and for what is in flight, counted since its start.
struct ClaimedBytes {
  std::uint64_t claimed = 0;   ///< All that was ever claimed.
  std::uint64_t released = 0;  ///< Of it, what was given back.
  std::uint64_t peak = 0;      ///< The most at once, since the device's peaks were reset.
};

/// What the loop asks of the side that executes: marks and waits, the same for every device.
///
/// One object serves one front-end thread. Every wait may rethrow the error of an operation issued
/// earlier (on `acpu`, engine::OperationError with the operation's name).
class BackEnd {
 public:
  using FinishedCallback = std::function<void(TimePoint)>;

  virtual ~BackEnd() = default;

  /// Marks the present end of what was issued. `on_finished` is called once with the time at which
  /// everything before the mark had finished, on any thread: on `acpu` at that moment, on `cuda` in
  /// a later mark or wait. At once, here, if nothing is in flight. It must be quick and issue
  /// nothing.
  virtual std::unique_ptr<Mark> mark(FinishedCallback on_finished = {}) = 0;

  /// Keeps the memory of `tensor`, not the tensor: on `acpu`, where it counts as held; null for an
  /// undefined tensor, and on devices whose memory no queue keeps. Never blocks. What it returns
  /// may be dropped anywhere.
  [[nodiscard]] virtual std::shared_ptr<const void> hold_memory(const torch::Tensor& tensor) const;

  /// Live, promised and held bytes; nullopt where the device does not count what is in flight.
  /// Thread-safe, and may be called in `on_finished`.
  [[nodiscard]] virtual std::optional<ClaimedBytes> claimed_bytes() const { return std::nullopt; }

  /// Whether the device itself holds each operation at its admission while committed bytes would
  /// pass the run-ahead limit (`acpu`), so that a budget needs no wait of the loop.
  [[nodiscard]] virtual bool holds_at_admission() const noexcept { return false; }

  /// Blocks until the values of `tensor` are computed, without copying them: on `acpu` until the
  /// operations that write it have finished, on `cuda` until its stream has.
  virtual void wait_until_computed(const torch::Tensor& tensor) = 0;

  /// Blocks until nothing is in flight.
  virtual void synchronize() = 0;
};

/// The back end of `device`: `cpu` (executes at issue), `acpu`, or one with streams and events.
[[nodiscard]] std::unique_ptr<BackEnd> make_back_end(torch::Device device);

}  // namespace runahead::train
