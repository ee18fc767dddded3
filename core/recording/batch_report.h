#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "core/record/record.h"
#include "core/recording/batch_counter.h"

namespace runahead::recording {

/// A loop over batches, as a report needs to know it.
struct BatchLoop {
  const BatchCounter& batches;
  std::optional<double> batch_size{};  ///< Examples, the mean; nullopt: not known.
  std::uint64_t own_bytes = 0;         ///< On the device for good: parameters, optimiser state.
  bool executes_at_issue = false;
};

/// Fills in the figures of a loop over batches: time.batch_finished_seconds and
/// examples_per_second, backlog.batches_peak and bytes_peak, results.batches_issued and
/// batches_finished. After the device and the runner have reported.
///
/// bytes_peak is what the device has reported, without the loop's own; of a device that has
/// reported none and does not execute at issue (`cuda`), the most that batches in flight have kept.
void report_batches(const BatchLoop& loop, TimePoint started, record::Record& record);

}  // namespace runahead::recording
