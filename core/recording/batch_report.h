#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "core/record/record.h"
#include "core/recording/batch_counter.h"

namespace runahead::recording {

/// The properties of a loop over batches that a report needs.
struct BatchLoop {
  const BatchCounter& batches;
  std::optional<double> batch_size{};  ///< Mean number of examples; nullopt if unknown.
  std::uint64_t own_bytes = 0;         ///< Permanently on the device: the model, optimiser state.
  bool executes_at_issue = false;
};

/// Fills in the figures of a loop over batches: time.batch_finished_seconds and
/// examples_per_second, backlog.batches_peak and bytes_peak, results.batches_issued and
/// batches_finished. Call it after the device and the runner have reported.
///
/// bytes_peak is the device's figure minus the loop's own bytes. If a device has reported none and
/// does not execute at issue (`cuda`), it is the most bytes that batches in flight have kept.
void report_batches(const BatchLoop& loop, TimePoint started, record::Record& record);

}  // namespace runahead::recording
