#pragma once

#include <string>

#include "core/memory/sample_series.h"
#include "core/record/record.h"

namespace runahead::cell {

/// A record for people: the experiment, how it ended, its times, memory and backlog, with a
/// sparkline of each over time (if sampled), its losses, and the finding in a sentence. Lines end
/// with a newline. "-" if not measured.
/// @param samples  May be null.
[[nodiscard]] std::string record_table(const record::Record& record,
                                       const memory::SampleSeries* samples);

}  // namespace runahead::cell
