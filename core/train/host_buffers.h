#pragma once

#include <c10/core/Stream.h>
#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/train/batch.h"
#include "core/train/device_event.h"

namespace runahead::train {

/// The host memory from which batches are copied to a device. Used by its source's thread only: for
/// each batch stage(), then the copy, then copied().
class HostBuffers {
 public:
  virtual ~HostBuffers() = default;

  /// Returns `host` in memory for the copy to read. May block until an earlier copy is done.
  virtual Batch stage(const Batch& host) = 0;

  /// Records that the copy of the batch staged last was issued on `stream`. Never blocks.
  virtual void copied(const c10::Stream& stream) = 0;

  /// Whether the copy call may return while the copy is still reading what stage() returned.
  /// Otherwise it must block, because the host tensors then belong to the caller again.
  [[nodiscard]] virtual bool allows_non_blocking() const noexcept = 0;

  /// Bytes of `staged`, as returned by stage(), that are kept for this batch alone until its copy
  /// is done; 0 for memory that later batches reuse.
  [[nodiscard]] virtual std::uint64_t kept_bytes(const Batch& staged) const = 0;
};

/// Makes an uninitialised host tensor with `like`'s sizes and type that a device can read directly
/// (page-locked). Throws if no such memory is available.
using MakeHostTensor = std::function<torch::Tensor(const torch::Tensor& like)>;

/// The host tensors themselves, in memory that may be swapped out: their copies block.
class PageableBuffers final : public HostBuffers {
 public:
  Batch stage(const Batch& host) override { return host; }
  void copied(const c10::Stream&) override {}
  [[nodiscard]] bool allows_non_blocking() const noexcept override { return false; }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch&) const override { return 0; }
};

/// Two new tensors for each batch. This object does not keep them: their allocator keeps the memory
/// until the copies from it are done, as LibTorch's pinned-memory allocator does. Host memory
/// therefore grows with the number of batches whose copy was issued but has not run.
class FreshBuffers final : public HostBuffers {
 public:
  /// @throws UsageError unless `make` is callable.
  explicit FreshBuffers(MakeHostTensor make);
  Batch stage(const Batch& host) override;
  void copied(const c10::Stream&) override {}
  [[nodiscard]] bool allows_non_blocking() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch& staged) const override;

 private:
  MakeHostTensor make_;
};

/// A ring of tensors, each of which is reused once its last copy is done. When all are in use,
/// stage() waits for the oldest copy. Host memory does not grow beyond the ring.
class RingBuffers final : public HostBuffers {
 public:
  /// @throws UsageError unless `make` is callable and buffers >= 1.
  RingBuffers(std::size_t buffers, MakeHostTensor make);
  Batch stage(const Batch& host) override;
  void copied(const c10::Stream& stream) override;
  [[nodiscard]] bool allows_non_blocking() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch&) const override { return 0; }

 private:
  struct Buffer {
    Batch tensors{};                         ///< Made on first use.
    std::optional<DeviceEvent> last_copy{};  ///< Recorded after it; nullopt if there was none.
  };

  MakeHostTensor make_;
  std::vector<Buffer> ring_;
  std::size_t next_ = 0;
};

}  // namespace runahead::train
