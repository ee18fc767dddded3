#pragma once

#include "core/record/record.h"

namespace runahead::train {

/// Adds what `acpu` has counted since its peaks were reset: memory.*_peak_bytes,
/// backlog.operations_peak, backlog.blocking_operators, backlog.bytes_peak as the peak of all
/// claimed bytes, and results.occupied_peak_bytes. Keeps higher peaks that the record has already,
/// and adds to its counts. May be called on any thread.
void report_acpu(record::Record& record);
/// The peaks alone.
void report_acpu_peaks(record::Record& record);

}  // namespace runahead::train
