#pragma once

#include <c10/core/Stream.h>
#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/train/batch.h"
#include "core/train/device_event.h"

namespace runahead::train {

/// Copies batches to a device with streams and events (`cuda`, `acpu`), through LibTorch's generic
/// classes for them. Used only by the source's thread. The compute stream is that thread's current
/// stream: work issued on it after copy() sees the copied batch, and the front end does not wait.
class DeviceCopies {
 public:
  virtual ~DeviceCopies() = default;

  /// Returns `staged` on the device. @param non_blocking  Whether the copy may still be reading
  /// `staged` when this returns; otherwise this blocks until the copy, its only reader, is done.
  virtual Batch copy(const Batch& staged, bool non_blocking) = 0;

  /// The stream on which copy() issues its copies.
  [[nodiscard]] virtual c10::Stream stream() const = 0;

  /// Device bytes of `batch`, as returned by copy(), that stay claimed after the program has
  /// dropped it until its last operation has finished.
  [[nodiscard]] virtual std::uint64_t kept_bytes(const Batch& batch) const = 0;
};

/// Copies on the compute stream itself: memory is reused in that stream's order, so batches in
/// flight keep none. Copies do not overlap with computation.
class InOrderCopies final : public DeviceCopies {
 public:
  explicit InOrderCopies(torch::Device device) : device_(device) {}
  Batch copy(const Batch& staged, bool non_blocking) override;
  [[nodiscard]] c10::Stream stream() const override;
  [[nodiscard]] std::uint64_t kept_bytes(const Batch&) const override { return 0; }

 private:
  torch::Device device_;
};

/// Copies on a side stream, each into new memory of that stream. The compute stream's use of the
/// memory is recorded (`record_stream`): once the program has dropped a batch, the allocator defers
/// the free until the compute stream has passed that point. Device memory grows with the batches in
/// flight.
class RecordStreamCopies final : public DeviceCopies {
 public:
  /// @throws c10::Error if the device has no streams.
  explicit RecordStreamCopies(torch::Device device);
  Batch copy(const Batch& staged, bool non_blocking) override;
  [[nodiscard]] c10::Stream stream() const override { return side_; }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch& batch) const override;

 private:
  torch::Device device_;
  c10::Stream side_;
};

struct ReuseOptions {
  std::size_t buffers = 4;  ///< Batches on the device at once, >= 1.
  /// Batches that may be requested before the work of an earlier one is issued (`data.prefetch`),
  /// < buffers.
  std::size_t ahead = 0;
};

/// Copies on a side stream, into `buffers` tensors that are reused in turn, so device memory does
/// not grow beyond the buffers. A batch's tensors are the buffer itself and stay valid until that
/// buffer's next turn.
///
/// Before a buffer is written again, the side stream waits, on the device, for an event that was
/// recorded on the compute stream at an earlier copy(). By then all work on the buffer's last batch
/// had been issued there. This is correct only if all work on a batch is issued, on the compute
/// stream, before the batch `ahead` + 1 later is requested. That holds for a loop that requests one
/// batch at a time (ahead = 0), and for one that takes them from a PrefetchSource of `ahead`. The
/// event is the earliest correct one: it was recorded `buffers - 1 - ahead` copies before the copy
/// that waits for it. With ahead = buffers - 1 it is that copy's own event, and nothing overlaps;
/// a config that prefetches more than buffers - 2 batches is therefore rejected
/// (config/experiment_checks.h).
class ReuseCopies final : public DeviceCopies {
 public:
  /// @throws UsageError if an option is out of range; c10::Error if the device has no streams.
  ReuseCopies(torch::Device device, ReuseOptions options);
  Batch copy(const Batch& staged, bool non_blocking) override;
  [[nodiscard]] c10::Stream stream() const override { return side_; }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch&) const override { return 0; }

 private:
  void mark_issued(const c10::Stream& compute);
  void fill(torch::Tensor& buffer, const torch::Tensor& staged, bool non_blocking,
            const c10::Stream& compute) const;

  torch::Device device_;
  c10::Stream side_;
  std::size_t events_kept_;
  std::deque<DeviceEvent> issued_{};  ///< Of at most the last events_kept_ copies, oldest first.
  std::vector<Batch> buffers_;
  std::size_t copies_ = 0;
};

}  // namespace runahead::train
