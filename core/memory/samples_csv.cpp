#include "core/memory/samples_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/number_text.h"
#include "core/memory/probe.h"

namespace runahead::memory {
namespace {

/// Every file has these, in this order.
constexpr std::array<std::string_view, 11> kFixedColumns{
    "rss_bytes",         "live_bytes",     "reserved_bytes",
    "promised_bytes",    "held_bytes",     "operations_in_flight",
    "batches_in_flight", "batches_issued", "batches_finished",
    "pss_bytes",         "cgroup_bytes"};

/// A column of the file, and the series column that it shows; nullopt: none, it stays empty.
struct CsvColumn {
  std::string name{};
  std::optional<std::size_t> source{};
};

std::vector<CsvColumn> plan_columns(const std::vector<std::string>& series_columns) {
  std::vector<CsvColumn> plan;
  for (const std::string_view name : kFixedColumns) {
    plan.push_back({std::string(name), find_column(series_columns, name)});
  }
  for (std::size_t i = 0; i < series_columns.size(); ++i) {
    if (std::ranges::find(kFixedColumns, series_columns[i]) == kFixedColumns.end()) {
      plan.push_back({series_columns[i], i});
    }
  }
  return plan;
}

}  // namespace

void write_samples_csv(const std::filesystem::path& path, const SampleSeries& series,
                       TimePoint origin) {
  const std::vector<CsvColumn> plan = plan_columns(series.columns());
  std::string text = "time_seconds";
  for (const CsvColumn& column : plan) text += "," + column.name;
  text += '\n';
  series.for_each([&](TimePoint time, std::span<const Reading> readings) {
    append_number(text, seconds_between(origin, time), std::chars_format::fixed, 6);
    for (const CsvColumn& column : plan) {
      text += ',';
      if (column.source && readings[*column.source]) append_number(text, *readings[*column.source]);
    }
    text += '\n';
  });
  write_new_file(path, text);
}

}  // namespace runahead::memory
