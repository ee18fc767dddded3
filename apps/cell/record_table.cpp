#include "apps/cell/record_table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <vector>

#include "apps/cell/figures_table.h"
#include "apps/cell/sparkline.h"
#include "core/base/number_text.h"
#include "core/memory/find_column.h"
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
  std::optional<double> lowest;
  std::optional<double> highest;
  for (const CurvePoint& point : points) {
    if (!point.value) continue;
    lowest = std::min(lowest.value_or(*point.value), *point.value);
    highest = std::max(highest.value_or(*point.value), *point.value);
  }
  return record::text_of(unit, lowest) + " to " + record::text_of(unit, highest);
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
         record::is_not_finite(document, figure.pointer)
             ? "not finite"
             : record::text_of(figure.unit, record::number_at(document, figure.pointer)));
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

}  // namespace runahead::cell
