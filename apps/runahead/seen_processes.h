#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/process_tree_probe.h"

namespace runahead::apps {

/// The ten processes with the highest peaks that a monitor has found, and the others in one row, as
/// a table; times are seconds since `origin`.
[[nodiscard]] std::string seen_processes_table(std::vector<memory::SeenProcess> processes,
                                               TimePoint origin);

/// The file that lists the processes of the samples in `samples_path`: m.processes.csv for m.csv.
[[nodiscard]] std::filesystem::path seen_processes_path(const std::filesystem::path& samples_path);

/// Writes them as CSV: process_id,name,first_seconds,last_seconds,rss_peak_bytes,command; an empty
/// field is not measured. The first process has `command`. The file appears whole or not at all.
/// @throws Error naming the path.
void write_seen_processes(const std::filesystem::path& path,
                          const std::vector<memory::SeenProcess>& processes, TimePoint origin,
                          const std::string& command);

}  // namespace runahead::apps
