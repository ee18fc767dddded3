#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "core/record/record.h"
#include "core/train/batch_meter.h"

namespace runahead::experiment {

/// Fills in what a loop over batches is told by: time.batch_finished_seconds and
/// examples_per_second, backlog.batches_peak and bytes_peak (of what the device has reported,
/// without `own_bytes`), results.batches_issued and batches_finished. After the device and the
/// runner have reported.
/// @param own_bytes  What the loop has on the device for good: parameters, optimiser state.
void report_batches(const train::BatchMeter& meter, std::int64_t batch_size,
                    std::uint64_t own_bytes, TimePoint started, record::Record& record);

}  // namespace runahead::experiment
