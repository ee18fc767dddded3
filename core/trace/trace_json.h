#pragma once

#include <filesystem>
#include <string>

#include "core/base/clock.h"
#include "core/memory/sample_series.h"
#include "core/trace/recording.h"

namespace runahead::trace {

/// The subject of a trace, besides its recording.
struct TraceSubject {
  std::string name{};             ///< "train on acpu": the name of the process.
  TimePoint origin{};             ///< Time 0.
  std::string origin_is{};        ///< Description of time 0.
  bool runs_inside_push = false;  ///< Whether operations run on the front end itself.
  const memory::SampleSeries* samples = nullptr;  ///< Source of the counters; null if not sampled.
};

/// A Chrome trace in JSON for ui.perfetto.dev and chrome://tracing. Times are microseconds since
/// `subject.origin`.
///
/// - The front end's track: `batch i` contains `wait`, `data`, `issue`, `wait`, which in turn
///   contain the waits that blocked (`held at the run-ahead limit`, `wait for a tensor`, …). The
///   track ends with the `drain`.
/// - One track per worker: a slice per operation, with its sequence number, batch, cost and
///   operands. If the issue of the operation was recorded, an arrow leads from there to the slice.
/// - Counters: RSS, live, promised and held bytes and batches in flight, if they were sampled, with
///   one event for each value that differs from the previous sample.
///
/// `otherData` holds summary_of(recording) and the numbers of arrows and counter events.
[[nodiscard]] std::string trace_json(const Recording& recording, const TraceSubject& subject);

/// Writes the trace atomically. @throws Error if it cannot be written.
void write_trace(const std::filesystem::path& path, const Recording& recording,
                 const TraceSubject& subject);

}  // namespace runahead::trace
