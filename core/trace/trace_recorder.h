#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/clock.h"
#include "core/engine/observer.h"
#include "core/trace/recording.h"

namespace runahead::trace {

/// Records what the front end and the workers do, until it is closed.
///
/// Each worker has a list and a lock of its own, which no other thread takes before close(), so
/// recording makes no worker wait for another. Pushing threads share those of the front end; the
/// engine orders them anyway. All members are thread-safe.
class TraceRecorder final : public engine::Observer {
 public:
  /// Allocates all its memory (Recording::memory_bytes, some 18 MB by default).
  /// @param executors  Threads that execute operations: the workers, or 1, the pushing thread, if
  ///                   there are none. 0: there is no engine.
  explicit TraceRecorder(int executors, const TraceBounds& bounds = {});

  /// Discards what was recorded and starts recording; does nothing after close(). Nothing may be in
  /// flight.
  void start() noexcept;

  /// The front end enters a phase of a batch at `time`: kWaitBefore begins the next batch.
  void enter(Phase phase, TimePoint time) noexcept;
  void end_batch(TimePoint time) noexcept;
  /// The front end has issued everything and now waits for it. Drops a batch that has only begun.
  void begin_drain(TimePoint time) noexcept;

  void on_push(const engine::OperationEvent& event) noexcept override;
  void on_start(const engine::OperationEvent& event) noexcept override;
  void on_finish(const engine::OperationEvent& event) noexcept override;
  void on_wait_begin(const engine::WaitEvent& event) noexcept override;
  void on_wait_end(const engine::WaitEvent& event) noexcept override;

  /// Ends the recording, and with it whatever is under way. The result no longer changes, whatever
  /// other threads do. Idempotent. Waits for no operation.
  const Recording& close() noexcept;

 private:
  struct FrontEnd {
    std::mutex mutex{};
    bool is_recording = false;
    bool is_closed = false;
    BatchTimes batch{};  ///< The present one, if `is_in_batch`.
    bool is_in_batch = false;
    Wait wait{};  ///< The present one, if `wait_depth` > 0.
    int wait_depth = 0;
    std::uint64_t batches_begun = 0;
    bool is_draining = false;
  };
  struct Worker {
    std::mutex mutex{};
    bool is_recording = false;
    Execution execution{};  ///< The present one, if `is_executing`.
    bool is_executing = false;
  };

  [[nodiscard]] std::size_t index_of(const engine::OperationEvent& event) const noexcept;
  void close_front_end() noexcept;
  void close_worker(std::size_t index) noexcept;

  Recording recording_;
  FrontEnd front_end_{};
  std::vector<std::unique_ptr<Worker>> workers_{};
};

}  // namespace runahead::trace
