#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/command/tree_monitor.h"
#include "core/memory/process_tree_probe.h"

namespace runahead::apps {

/// A table of the ten processes with the highest peaks that a monitor found, with the others in one
/// row. Times are seconds since `origin`.
[[nodiscard]] std::string seen_processes_table(std::vector<memory::SeenProcess> processes,
                                               TimePoint origin);

/// The file that lists the processes of the samples in `samples_path`: m.processes.csv for m.csv.
[[nodiscard]] std::filesystem::path seen_processes_path(const std::filesystem::path& samples_path);

/// Writes the processes as CSV: process_id, name, first_seconds, last_seconds, rss_peak_bytes; the
/// first process has `command`, too, and the peak of all together. An empty field was not measured.
/// The write is atomic.
/// @throws Error naming the path.
void write_seen_processes(const std::filesystem::path& path,
                          const std::vector<memory::SeenProcess>& processes, TimePoint origin,
                          const std::string& command, const command::TreePeak& peak);

}  // namespace runahead::apps
