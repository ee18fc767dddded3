#pragma once

#include <c10/core/Stream.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "core/engine/engine.h"

namespace runahead::device {

/// The device's streams: the default one, id 0, and two pools, of normal and of high priority. Each
/// thread has a current stream, to which the operations that it issues belong. Thread-safe.
///
/// As on CUDA, a pool's streams are handed out round-robin, so that taking more streams than it
/// holds shares them. Until one is taken, there is only the default stream, which costs nothing.
class Streams {
 public:
  static constexpr std::size_t kPoolSize = 32;
  static constexpr c10::StreamId kMost = 1 + 2 * kPoolSize;  ///< Including the default one.

  /// The id of the next stream of a pool.
  [[nodiscard]] c10::StreamId take(bool has_high_priority, engine::Engine& engine);
  /// Whether a stream of a pool was taken.
  [[nodiscard]] bool are_in_use() const noexcept {
    return are_in_use_.load(std::memory_order_acquire);
  }

  /// The calling thread's current stream.
  [[nodiscard]] c10::StreamId current() const noexcept;
  /// @return the id of the previous one. @throws c10::Error if there is no stream `id`.
  c10::StreamId exchange_current(c10::StreamId id);
  /// Puts an operation on the calling thread's current stream.
  /// @return whether that is not the default one.
  bool place(engine::Operation& operation) noexcept;

  /// @throws c10::Error if there is no stream `id`.
  [[nodiscard]] engine::Stream& of(c10::StreamId id);
  /// The same, but null for the default stream: as an operation names it.
  [[nodiscard]] engine::Stream* named(c10::StreamId id);
  [[nodiscard]] engine::Stream& default_stream() noexcept { return streams_[0]; }

 private:
  [[nodiscard]] static bool has_high_priority(c10::StreamId id) noexcept;

  std::array<engine::Stream, kMost> streams_{};      ///< By id.
  std::array<std::atomic<std::size_t>, 2> taken_{};  ///< Streams taken from each pool.
  std::atomic<bool> are_in_use_{false};
};

}  // namespace runahead::device
