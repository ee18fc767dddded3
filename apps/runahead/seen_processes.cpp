#include "apps/runahead/seen_processes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "core/base/bytes.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

constexpr std::size_t kMostShown = 10;

std::uint64_t peak_of(const memory::SeenProcess& process) {
  return process.rss_peak_bytes.value_or(0);
}

std::string seconds_text(TimePoint origin, TimePoint time) {
  return formatted("%.3f", seconds_between(origin, time));
}

/// UTF-8 text on one line. A program may put any bytes into its name, and the kernel cuts names
/// within characters.
std::string printable(const std::string& name) {
  const auto text = parse_json(dump_json(name), "a process's name").get<std::string>();
  return in_one_line(text, text.size());
}

std::string bytes_field(std::optional<std::uint64_t> bytes) {
  return bytes ? std::to_string(*bytes) : "";
}

}  // namespace

std::string seen_processes_table(std::vector<memory::SeenProcess> processes, TimePoint origin) {
  std::ranges::stable_sort(processes, std::ranges::greater{}, peak_of);
  report::Table table{.headings = {"process", "name", "first s", "last s", "peak RSS"},
                      .text_columns = 2};
  const auto shown = std::min(processes.size(), kMostShown);
  for (const memory::SeenProcess& process : std::span(processes).first(shown)) {
    table.add_row({std::to_string(process.process_id), printable(process.name),
                   seconds_text(origin, process.first_seen),
                   seconds_text(origin, process.last_seen),
                   process.rss_peak_bytes ? format_bytes(*process.rss_peak_bytes) : "-"});
  }
  if (const auto rest = std::span(processes).subspan(shown); !rest.empty()) {
    std::uint64_t bytes = 0;
    for (const memory::SeenProcess& process : rest) bytes += peak_of(process);
    table.add_row(
        {"", counted(rest.size(), "other"),
         seconds_text(origin,
                      std::ranges::min(rest, {}, &memory::SeenProcess::first_seen).first_seen),
         seconds_text(origin,
                      std::ranges::max(rest, {}, &memory::SeenProcess::last_seen).last_seen),
         format_bytes(bytes) + " in all"});
  }
  return to_text(table);
}

std::filesystem::path seen_processes_path(const std::filesystem::path& samples_path) {
  std::filesystem::path path = samples_path;
  return path.replace_extension(".processes.csv");
}

void write_seen_processes(const std::filesystem::path& path,
                          const std::vector<memory::SeenProcess>& processes, TimePoint origin,
                          const std::string& command, const command::TreePeak& peak) {
  std::string text =
      "process_id,name,first_seconds,last_seconds,rss_peak_bytes,command,tree_rss_peak_bytes,"
      "tree_rss_peak_is_upper_bound\n";
  for (const memory::SeenProcess& process : processes) {
    const bool is_first = &process == &processes.front();
    text += report::csv_line(
        {std::to_string(process.process_id), printable(process.name),
         seconds_text(origin, process.first_seen), seconds_text(origin, process.last_seen),
         bytes_field(process.rss_peak_bytes), is_first ? printable(command) : "",
         is_first ? bytes_field(peak.bytes) : "",
         !is_first             ? ""
         : peak.is_upper_bound ? "true"
                               : "false"});
  }
  write_new_file(path, text);
}

}  // namespace runahead::apps
