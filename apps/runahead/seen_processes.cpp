#include "apps/runahead/seen_processes.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/bytes.h"
#include "core/base/file.h"
#include "core/base/number_text.h"
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

/// Removes the control characters that a program may put into its name.
std::string printable(std::string name) {
  std::erase_if(name, [](char character) { return static_cast<unsigned char>(character) < 0x20; });
  return name;
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
                          const std::string& command) {
  std::string text = "process_id,name,first_seconds,last_seconds,rss_peak_bytes,command\n";
  for (const memory::SeenProcess& process : processes) {
    text += report::csv_line({std::to_string(process.process_id), printable(process.name),
                              seconds_text(origin, process.first_seen),
                              seconds_text(origin, process.last_seen),
                              process.rss_peak_bytes ? std::to_string(*process.rss_peak_bytes) : "",
                              &process == &processes.front() ? printable(command) : ""});
  }
  write_new_file(path, text);
}

}  // namespace runahead::apps
