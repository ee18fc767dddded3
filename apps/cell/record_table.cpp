#include "apps/cell/record_table.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <vector>

#include "apps/cell/sparkline.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/memory/probe.h"
#include "core/record/figures.h"
#include "core/report/finding.h"

namespace runahead::cell {
namespace {

constexpr std::size_t kSparklineWidth = 48;
constexpr int kLabelWidth = 24;

void line(std::ostringstream& table, std::string_view label, const std::string& value) {
  table << "  " << std::left << std::setw(kLabelWidth) << label << value << '\n';
}

std::vector<CurvePoint> points_of(const memory::SampleSeries& samples, std::string_view column) {
  std::vector<CurvePoint> points;
  const auto index = memory::find_column(samples.columns(), column);
  if (!index) return points;
  std::optional<TimePoint> origin;
  samples.for_each([&](TimePoint time, std::span<const memory::Reading> readings) {
    if (!origin) origin = time;
    CurvePoint point{.time_seconds = seconds_between(*origin, time)};
    if (readings[*index]) point.value = static_cast<double>(*readings[*index]);
    points.push_back(point);
  });
  return points;
}

/// "429 MB to 531 MB"
std::string range_text(const std::vector<CurvePoint>& points, record::Unit unit) {
  const ValueRange range = range_of(points).value_or(ValueRange{});
  return record::text_of(unit, range.lowest) + " to " + record::text_of(unit, range.highest);
}

/// Adds the curve of a column, or nothing if the column was not measured.
void curve(std::ostringstream& table, std::string_view label, const memory::SampleSeries& samples,
           std::string_view column, record::Unit unit) {
  const std::vector<CurvePoint> points = points_of(samples, column);
  const std::string drawn = sparkline(points, kSparklineWidth);
  if (!drawn.empty()) line(table, label, drawn + "  " + range_text(points, unit));
}

/// Adds the choices of the policy `adaptive`.
void choices(std::ostringstream& table, const record::Record& record) {
  const auto adaptive = record.results.find("adaptive");
  if (adaptive == record.results.end()) return;
  const std::string what = adaptive->contains("operations") ? "operations" : "batches";
  const Json& series = adaptive->at(what);
  if (series.empty()) return;
  std::uint64_t least = series[0][1];
  std::uint64_t most = least;
  for (const Json& choice : series) {
    least = std::min(least, choice[1].get<std::uint64_t>());
    most = std::max(most, choice[1].get<std::uint64_t>());
  }
  line(table, "run-ahead",
       series.back()[1].dump() + " " + what + " at the end, " + std::to_string(least) + " to " +
           std::to_string(most) + " on the way");
}

/// Whether the record appears to be of a loop over batches.
bool works_in_batches(const record::Record& record) {
  return record.backlog.batches_peak || !record.results.contains(record.experiment);
}

void figures(std::ostringstream& table, const record::Record& record) {
  const auto shown =
      record::figures_in(record::kRun | (works_in_batches(record) ? record::kBatches : 0U));
  const Json document = record::sections_json(record);
  for (const record::Figure& figure : shown) {
    line(table, figure.label,
         record::text_of(figure.unit, record::measured_at(document, figure.pointer)));
  }
}

std::string title_of(const record::Record& record) {
  std::string title = record.experiment + " on " + record.device;
  if (const auto policy = record.config.find("sync"); policy != record.config.end()) {
    title += ", sync " + policy->value("policy", std::string("-"));
    if (policy->contains("wait")) title += " (" + policy->value("wait", std::string()) + ")";
  }
  return title + ": " + std::string(record::name_of(record.status));
}

constexpr int kKeyWidth = 30;
constexpr std::size_t kLongestList = 8;
constexpr std::size_t kMostObjects = 32;  ///< In a list; only the last ones are shown.
constexpr std::array<std::string_view, 2> kPictures{"dot", "svg"};

/// A number in the unit of its key.
std::string number_text(const std::string& key, const Json& value) {
  return record::text_of(record::unit_of_key(key), value.get<double>());
}

std::string spread_text(const std::string& key, const Json& spread) {
  return number_text(key, spread["median"]) + " (" + number_text(key, spread["min"]) + " to " +
         number_text(key, spread["max"]) + ", " + spread["count"].dump() + " repeats)";
}

void add_line(std::ostringstream& table, const std::string& key, const std::string& value) {
  table << "  " << std::left << std::setw(kKeyWidth) << key << " " << value << '\n';
}

void add_text(std::ostringstream& table, const std::string& key, const std::string& text) {
  if (text.find('\n') == std::string::npos) return add_line(table, key, text);
  table << "  " << key << '\n';
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) table << "    " << line << '\n';
}

bool is_of_objects(const Json& list) { return !list.empty() && list[0].is_object(); }

void add(std::ostringstream& table, const std::string& key, const Json& value);

void add_list(std::ostringstream& table, const std::string& key, const Json& list) {
  if (is_of_objects(list)) {
    const std::size_t first = list.size() > kMostObjects ? list.size() - kMostObjects : 0;
    for (std::size_t i = first; i < list.size(); ++i) {
      add(table, key + "[" + std::to_string(i) + "]", list[i]);
    }
  } else if (list.size() <= kLongestList) {
    const auto text_of = [&](const Json& part) {
      return part.is_number() ? number_text(key, part) : part.dump();
    };
    add_line(table, key, joined(list, ", ", text_of));
  }
}

void add(std::ostringstream& table, const std::string& key, const Json& value) {
  if (value.is_number()) return add_line(table, key, number_text(key, value));
  if (value.is_boolean()) return add_line(table, key, value.get<bool>() ? "yes" : "no");
  if (value.is_string()) return add_text(table, key, value.get<std::string>());
  if (value.is_array()) return add_list(table, key, value);
  if (!value.is_object()) return;
  if (value.contains("median")) return add_line(table, key, spread_text(key, value));
  for (const auto& [name, part] : value.items()) add(table, key + "." + name, part);
}

bool is_picture(const std::string& key) {
  return std::ranges::find(kPictures, key) != kPictures.end();
}

}  // namespace

std::string record_table(const record::Record& record, const memory::SampleSeries* samples) {
  std::ostringstream table;
  table << title_of(record) << '\n';
  if (record.error) line(table, "error", *record.error);
  figures(table, record);
  if (works_in_batches(record)) choices(table, record);
  table << figures_table(record);
  if (record.backlog.blocking_operators) {
    for (const auto& [name, count] : *record.backlog.blocking_operators) {
      line(table, "blocked for", name + ", " + counted(count, "time"));
    }
  }
  if (samples != nullptr) {
    curve(table, "RSS", *samples, "rss_bytes", record::Unit::kBytes);
    curve(table, "live", *samples, "live_bytes", record::Unit::kBytes);
    curve(table, "batches in flight", *samples, "batches_in_flight", record::Unit::kCount);
  }
  if (const std::string found = report::finding(record::to_json(record)); !found.empty())
    table << found << '\n';
  return table.str();
}

std::string figures_table(const record::Record& record) {
  const auto results = record.results.find(record.experiment);
  if (results == record.results.end() || !results->is_object()) return "";
  std::ostringstream table;
  for (const auto& [key, value] : results->items()) {
    if (!is_picture(key)) add(table, key, value);
  }
  return table.str();
}

}  // namespace runahead::cell
