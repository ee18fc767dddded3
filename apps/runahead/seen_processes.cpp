#include "apps/runahead/seen_processes.h"

#include <algorithm>
#include <cstdio>

#include "apps/runahead/text_table.h"
#include "core/base/bytes.h"
#include "core/base/file.h"

namespace runahead::apps {

namespace {

std::string seconds_text(TimePoint origin, TimePoint time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds_between(origin, time));
  return text;
}

/// Without the control characters that any program may put into its name.
std::string printable(std::string name) {
  std::erase_if(name, [](char character) { return static_cast<unsigned char>(character) < 0x20; });
  return name;
}

/// A field of a CSV file: in quotes, quotes in it doubled.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char character : printable(name)) {
    text += character == '"' ? std::string("\"\"") : std::string(1, character);
  }
  return text + '"';
}

}  // namespace

std::string seen_processes_table(const std::vector<memory::SeenProcess>& processes,
                                 TimePoint origin) {
  TextTable table(
      {{"process"}, {"name", TextTable::Align::kLeft}, {"first s"}, {"last s"}, {"peak RSS"}});
  for (const memory::SeenProcess& process : processes) {
    table.add_row({std::to_string(process.process_id), printable(process.name),
                   seconds_text(origin, process.first_seen),
                   seconds_text(origin, process.last_seen),
                   process.rss_peak_bytes ? format_bytes(*process.rss_peak_bytes) : "-"});
  }
  return table.to_string();
}

std::filesystem::path seen_processes_path(const std::filesystem::path& samples_path) {
  std::filesystem::path path = samples_path;
  return path.replace_extension(".processes.csv");
}

void write_seen_processes(const std::filesystem::path& path,
                          const std::vector<memory::SeenProcess>& processes, TimePoint origin) {
  std::string text = "process_id,name,first_seconds,last_seconds,rss_peak_bytes\n";
  for (const memory::SeenProcess& process : processes) {
    text += std::to_string(process.process_id) + ',' + quoted(process.name) + ',' +
            seconds_text(origin, process.first_seen) + ',' +
            seconds_text(origin, process.last_seen) + ',' +
            (process.rss_peak_bytes ? std::to_string(*process.rss_peak_bytes) : "") + '\n';
  }
  write_file_atomically(path, text);
}

}  // namespace runahead::apps
