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
/// Each worker has a list and a lock of its own, which nobody else takes before close(): recording
/// orders no worker behind another. The front end's is taken by who pushes, which the engine orders
/// anyway. All members are thread-safe.
class TraceRecorder final : public engine::Observer {
 public:
  /// Claims all its memory (Recording::memory_bytes, some 18 MB by default).
  /// @param executors  Threads of the engine that execute: its workers, or, without any, the one
  ///                   that pushes. 0: there is no engine.
  explicit TraceRecorder(int executors, const TraceBounds& bounds = {});

  /// Forgets what was recorded, and records from now on; does nothing once it is closed. Nothing
  /// may be in flight.
  void start() noexcept;

  /// The front end enters a phase of a batch at `time`: kWaitBefore begins the next batch.
  void enter(Phase phase, TimePoint time) noexcept;
  void end_batch(TimePoint time) noexcept;
  /// The front end has issued everything and waits for it.
  void begin_drain(TimePoint time) noexcept;

  void on_push(const engine::OperationEvent& event) noexcept override;
  void on_start(const engine::OperationEvent& event) noexcept override;
  void on_finish(const engine::OperationEvent& event) noexcept override;
  void on_wait_begin(const engine::WaitEvent& event) noexcept override;
  void on_wait_end(const engine::WaitEvent& event) noexcept override;

  /// Ends the recording; what is under way ends with it. The result does not change any more,
  /// whatever other threads go on to do. Idempotent. Waits for no operation.
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
