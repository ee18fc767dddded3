#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/engine/observer.h"
#include "core/trace/recording.h"

namespace runahead::trace {

/// Records what the front end and the workers do, until it is closed.
///
/// The front end is the thread that last entered a phase. What other threads push is executed, but
/// not issued by the front end; their waits are counted only, since they overlap with its own.
///
/// Each worker has its own list and its own lock, which no other thread takes between start() and
/// close(), so recording never makes a worker wait for another. Pushing threads share the list and
/// lock of the front end; the engine orders these threads anyway. All members are thread-safe.
class TraceRecorder : public engine::Observer {
 public:
  /// Allocates all its memory (Recording::memory_bytes, about 18 MB by default).
  /// @param executors  Number of threads that execute operations: the workers, or 1 (the pushing
  ///                   thread) if there are none; 0 without an engine.
  explicit TraceRecorder(int executors, const TraceBounds& bounds = {});

  /// Discards what was recorded and starts recording; does nothing after close(). Nothing may be in
  /// flight.
  void start() noexcept;

  /// The front end enters a phase of a batch at `time`. kWaitBefore begins the next batch.
  void enter(Phase phase, TimePoint time) noexcept;
  void end_batch(TimePoint time) noexcept;
  /// The front end has issued everything and now waits for it. Drops a batch that has not ended.
  void begin_drain(TimePoint time) noexcept;

  void on_push(const engine::OperationEvent& event) noexcept override;
  void on_start(const engine::OperationEvent& event) noexcept override;
  void on_finish(const engine::OperationEvent& event) noexcept override;
  void on_wait_begin(const engine::WaitEvent& event) noexcept override;
  void on_wait_end(const engine::WaitEvent& event) noexcept override;

  /// Ends the recording, including entries that are in progress. After that, no thread can change
  /// the result. Idempotent. Does not wait for operations.
  const Recording& close() noexcept;

 private:
  struct FrontEnd {
    std::mutex mutex{};
    std::thread::id thread{};
    bool is_recording = false;
    bool is_closed = false;
    BatchTimes batch{};  ///< The current batch, if `is_in_batch`.
    bool is_in_batch = false;
    Wait wait{};  ///< The current wait, if `wait_depth` > 0.
    int wait_depth = 0;
    std::uint64_t batches_begun = 0;
    bool is_draining = false;

    [[nodiscard]] bool is_this_thread() const noexcept;
    void become_this_thread() noexcept;  ///< Drops a wait of the thread before.
  };
  struct Worker {
    std::mutex mutex{};
    bool is_recording = false;
    Execution execution{};  ///< The current execution, if `is_executing`.
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
