#include "core/memory/samples_csv.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <locale>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/error.h"

namespace runahead::memory {
namespace {

constexpr std::array<std::string_view, 14> kFixedColumns{"rss_bytes",
                                                         "live_bytes",
                                                         "reserved_bytes",
                                                         "promised_bytes",
                                                         "held_bytes",
                                                         "operations_in_flight",
                                                         "batches_in_flight",
                                                         "batches_issued",
                                                         "batches_finished",
                                                         "pss_bytes",
                                                         "cgroup_bytes",
                                                         "cuda_used_bytes",
                                                         "cuda_allocated_bytes",
                                                         "cuda_reserved_bytes"};

/// A column of the file, and which column of the series it shows; nullopt: none, it stays empty.
struct CsvColumn {
  std::string name{};
  std::optional<std::size_t> source{};
};

std::vector<CsvColumn> plan_columns(const std::vector<std::string>& series_columns) {
  std::vector<CsvColumn> plan;
  for (const std::string_view name : kFixedColumns) {
    const auto found = std::ranges::find(series_columns, name);
    const bool is_there = found != series_columns.end();
    plan.push_back({std::string(name), is_there ? std::optional(static_cast<std::size_t>(
                                                      found - series_columns.begin()))
                                                : std::nullopt});
  }
  for (std::size_t i = 0; i < series_columns.size(); ++i) {
    if (std::ranges::find(kFixedColumns, series_columns[i]) == kFixedColumns.end()) {
      plan.push_back({series_columns[i], i});
    }
  }
  return plan;
}

void write_rows(std::ostream& file, const SampleSeries& series, TimePoint origin) {
  const std::vector<CsvColumn> plan = plan_columns(series.columns());
  file << "time_seconds";
  for (const CsvColumn& column : plan) file << ',' << column.name;
  file << '\n';
  series.for_each([&](TimePoint time, std::span<const Reading> readings) {
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%.6f", seconds_between(origin, time));
    file << seconds.data();
    for (const CsvColumn& column : plan) {
      file << ',';
      if (column.source && readings[*column.source]) file << *readings[*column.source];
    }
    file << '\n';
  });
}

}  // namespace

void write_samples_csv(const std::filesystem::path& path, const SampleSeries& series,
                       TimePoint origin) {
  std::filesystem::path unfinished = path;
  unfinished += ".part";
  {
    std::ofstream file(unfinished);
    file.imbue(std::locale::classic());
    write_rows(file, series, origin);
    file.close();
    if (!file) throw Error("the samples could not be written to " + unfinished.string());
  }
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  if (error)
    throw Error("the samples could not be written to " + path.string() + ": " + error.message());
}

}  // namespace runahead::memory
