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

/// The content of `results.<kind>` in the record, one entry per line: a median with its range, a
/// number, a fact, a word; members of objects by name and of lists by position. A multi-line text
/// follows its key. Pictures and lists of numbers longer than a line are left out. "" if it is
/// empty.
[[nodiscard]] std::string figures_table(const record::Record& record);

}  // namespace runahead::cell
