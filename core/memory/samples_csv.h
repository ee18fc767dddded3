#pragma once

#include <filesystem>

#include "core/base/clock.h"
#include "core/memory/sample_series.h"

namespace runahead::memory {

/// Writes a series as CSV: the columns that every `samples.csv` has, in their fixed order, then the
/// series' other columns. An empty field was not measured; times are seconds since `origin`, with
/// six decimals. The file appears whole or not at all, and replaces none; missing folders are
/// created.
/// @throws Error naming the path if it cannot be written.
void write_samples_csv(const std::filesystem::path& path, const SampleSeries& series,
                       TimePoint origin);

}  // namespace runahead::memory
