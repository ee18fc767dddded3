#include "apps/runahead/seen_processes.h"

#include <algorithm>

#include "core/base/bytes.h"
#include "core/base/file.h"
#include "core/base/number_text.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

std::string seconds_text(TimePoint origin, TimePoint time) {
  return formatted("%.3f", seconds_between(origin, time));
}

/// Without the control characters that any program may put into its name.
std::string printable(std::string name) {
  std::erase_if(name, [](char character) { return static_cast<unsigned char>(character) < 0x20; });
  return name;
}

}  // namespace

std::string seen_processes_table(const std::vector<memory::SeenProcess>& processes,
                                 TimePoint origin) {
  report::Table table{.headings = {"process", "name", "first s", "last s", "peak RSS"},
                      .text_columns = 2};
  for (const memory::SeenProcess& process : processes) {
    table.add_row({std::to_string(process.process_id), printable(process.name),
                   seconds_text(origin, process.first_seen),
                   seconds_text(origin, process.last_seen),
                   process.rss_peak_bytes ? format_bytes(*process.rss_peak_bytes) : "-"});
  }
  return to_text(table);
}

std::filesystem::path seen_processes_path(const std::filesystem::path& samples_path) {
  std::filesystem::path path = samples_path;
  return path.replace_extension(".processes.csv");
}

void write_seen_processes(const std::filesystem::path& path,
                          const std::vector<memory::SeenProcess>& processes, TimePoint origin) {
  std::string text = "process_id,name,first_seconds,last_seconds,rss_peak_bytes\n";
  for (const memory::SeenProcess& process : processes) {
    text += report::csv_line(
        {std::to_string(process.process_id), printable(process.name),
         seconds_text(origin, process.first_seen), seconds_text(origin, process.last_seen),
         process.rss_peak_bytes ? std::to_string(*process.rss_peak_bytes) : ""});
  }
  write_file_atomically(path, text);
}

}  // namespace runahead::apps
