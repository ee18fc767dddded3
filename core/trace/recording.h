#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/engine/observer.h"
#include "core/trace/first_and_last.h"

namespace runahead::trace {

/// The maximum number of entries that a recording keeps of each kind, half of them the first ones
/// and half the last ones.
struct TraceBounds {
  std::size_t operations = 100'000;  ///< Bounds issues, and executions by all workers together.
  std::size_t batches = 10'000;
  std::size_t waits = 10'000;
};

/// An operation, as the front end issued it; none for what another thread pushed.
struct Issue {
  std::uint64_t sequence = 0;
  TimePoint time{};
  std::uint64_t batch = 0;  ///< From 1; 0 if the operation belongs to no batch.
};

enum class Outcome : std::uint8_t { kFinished, kFailed, kSkipped, kUnfinished };

/// An operation, as a worker executed it.
struct Execution {
  static constexpr std::size_t kDescriptionRoom = 95;

  std::uint64_t sequence = 0;
  std::string_view name{};  ///< Name of the operation; outlives the engine.
  TimePoint begun{};
  TimePoint ended{};
  std::uint64_t cost_bytes = 0;
  std::array<char, kDescriptionRoom> description{};  ///< Its operands.
  std::uint8_t description_length = 0;
  Outcome outcome = Outcome::kFinished;
};

/// The phases of a batch on the front end, in this order.
enum class Phase : std::uint8_t { kWaitBefore, kData, kIssue, kWaitAfter };
inline constexpr std::size_t kPhases = 4;

/// A batch on the front end.
struct BatchTimes {
  std::uint64_t number = 0;                ///< From 1.
  std::size_t phases_begun = 0;            ///< Number of entries of `begun` that are set.
  std::array<TimePoint, kPhases> begun{};  ///< Each phase ends where the next one begins.
  TimePoint ended{};
};

struct Wait {
  engine::WaitCause cause = engine::WaitCause::kAll;
  TimePoint begun{};
  TimePoint ended{};
};

/// An interval of the front end's time.
struct Stretch {
  TimePoint begun{};
  TimePoint ended{};
};

/// Everything that was recorded, in bounded memory. Each list is in chronological order.
struct Recording {
  /// @param executors  Number of lists of executions, >= 0.
  Recording(int executors, const TraceBounds& bounds);

  FirstAndLast<Issue> issues;
  FirstAndLast<BatchTimes> batches;
  FirstAndLast<Wait> waits;  ///< Only what blocked the front end; of nested waits, the outermost.
  std::uint64_t waits_of_other_threads = 0;         ///< Nested ones, too.
  std::optional<Stretch> drain{};                   ///< The final wait for everything issued.
  std::vector<FirstAndLast<Execution>> executions;  ///< One list per worker.

  void clear() noexcept;
  [[nodiscard]] std::uint64_t operations_recorded() const noexcept;  ///< Executions kept.
  [[nodiscard]] std::uint64_t operations_left_out() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
};

/// How much was recorded and how much was left out, for the record and for the trace.
[[nodiscard]] Json summary_of(const Recording& recording);

}  // namespace runahead::trace
