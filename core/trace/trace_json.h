#pragma once

#include <filesystem>
#include <string>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/memory/sample_series.h"
#include "core/trace/recording.h"

namespace runahead::trace {

/// What a trace is of, beside its recording.
struct TraceSubject {
  std::string name{};                             ///< "train on acpu": the name of the process.
  TimePoint origin{};                             ///< Time 0.
  std::string origin_is{};                        ///< What that is, in words.
  bool runs_inside_push = false;                  ///< Operations, on the front end itself.
  const memory::SampleSeries* samples = nullptr;  ///< For the counters; null: there are none.
};

/// A Chrome trace, JSON, as ui.perfetto.dev and chrome://tracing open it. Times are microseconds
/// since `subject.origin`.
///
/// - The front end's track: `batch i` with `wait`, `data`, `issue`, `wait` in it, and in these what
///   blocked (`held at the run-ahead limit`, `wait for a tensor`, …); at the end the `drain`.
/// - A track a worker: one slice an operation, with its sequence number, batch, cost and what it
///   was called on. Where the slice's issue was recorded, an arrow leads from there to it.
/// - Counters: RSS, live, promised and held bytes and batches in flight, as far as they were
///   sampled; an event where a value differs from the sample before.
///
/// `otherData` holds summary_of(recording), the number of arrows and of counter events.
[[nodiscard]] std::string trace_json(const Recording& recording, const TraceSubject& subject);

/// Writes it, whole or not at all. @throws Error if it cannot.
void write_trace(const std::filesystem::path& path, const Recording& recording,
                 const TraceSubject& subject);

}  // namespace runahead::trace
