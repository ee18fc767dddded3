#include "core/record/figures.h"

#include <array>
#include <cmath>
#include <limits>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/enum_names.h"
#include "core/base/number_text.h"

namespace runahead::record {

const std::vector<Figure>& figures() {
  using enum Unit;
  using enum Worse;
  static const std::vector<Figure> all{
      {"issue_seconds", "/time/issue_seconds", "issue time", kSeconds, kMore,
       kRun | kSweep | kPage | kComparison, "until the last batch was issued, waits included"},
      {"total_seconds", "/time/total_seconds", "total time", kSeconds, kMore,
       kRun | kSweep | kPage | kComparison, "until the device was idle"},
      {"examples_per_second", "/time/examples_per_second", "examples per second", kNumber, kLess,
       kBatches, "throughput over the total time"},
      {"cpu_seconds", "/time/cpu_seconds", "CPU time", kSeconds, kMore, kNowhere,
       "CPU time of the whole process"},
      {"t1_seconds", "/time/t1_seconds", "issue t1", kSeconds, kMore, kNowhere,
       "front-end time per batch, without waits"},
      {"t2_seconds", "/time/t2_seconds", "execute t2", kSeconds, kMore, kNowhere,
       "back-end time per batch"},
      {"t3_seconds", "/time/t3_seconds", "return t3", kSeconds, kMore, kNowhere,
       "time to return the result of a batch"},
      {"predicted_total_seconds", "/time/predicted_total_seconds", "predicted total", kSeconds,
       kMore, kNowhere, "total time that the cost model predicts"},
      {"rss_growth_bytes", "/memory/rss_growth_bytes", "RSS growth", kBytes, kMore,
       kBatches | kSweep | kPage | kComparison, "peak RSS minus the baseline"},
      {"rss_baseline_bytes", "/memory/rss_baseline_bytes", "RSS at the start", kBytes, kMore,
       kBatches, "RSS when the clock started, after the heap was trimmed"},
      {"rss_peak_bytes", "/memory/rss_peak_bytes", "peak RSS", kBytes, kMore, kComparison,
       "highest RSS, from the kernel where possible"},
      {"rss_end_bytes", "/memory/rss_end_bytes", "RSS at the end", kBytes, kMore, kNowhere,
       "RSS when the device was idle again"},
      {"batches_peak", "/backlog/batches_peak", "peak batches in flight", kCount, kMore,
       kBatches | kSweep | kPage, "most batches issued whose last operation had not finished"},
      {"held_peak_bytes", "/memory/held_peak_bytes", "peak held inputs", kBytes, kMore,
       kBatches | kSweep | kPage, "most bytes of inputs kept for queued operations"},
      {"live_peak_bytes", "/memory/live_peak_bytes", "live", kBytes, kMore, kPage,
       "most bytes of live tensors"},
      {"reserved_peak_bytes", "/memory/reserved_peak_bytes", "reserved", kBytes, kMore, kNowhere,
       "most bytes that the allocator had reserved"},
      {"promised_peak_bytes", "/memory/promised_peak_bytes", "promised", kBytes, kMore, kNowhere,
       "most bytes promised to results of queued operations, which have no memory yet"},
      {"committed_peak_bytes", "/memory/committed_peak_bytes", "committed", kBytes, kMore, kNowhere,
       "peak of committed bytes: what memory will reach once everything issued so far has run"},
      {"operations_peak", "/backlog/operations_peak", "operations in flight", kCount, kMore,
       kNowhere, "most operations issued and not finished"},
      {"backlog_bytes_peak", "/backlog/bytes_peak", "backlog", kBytes, kMore, kNowhere,
       "most bytes of held inputs, live tensors and promised results, without parameters and "
       "optimiser state"},
      {"predicted_backlog_bytes_peak", "/backlog/predicted_bytes_peak", "predicted backlog", kBytes,
       kMore, kNowhere, "peak of the backlog that the cost model predicts"},
      {"loss_first", "/loss/first", "first loss", kNumber, kMore, kBatches,
       "loss of the first batch"},
      {"loss_last", "/loss/last", "final loss", kNumber, kMore, kBatches | kSweep | kPage,
       "loss of the last batch"},
      {"monitor_samples", "/monitor/samples", "samples", kCount, kNeither, kNowhere,
       "samples that the monitor took"},
      {"monitor_missed", "/monitor/missed", "missed samples", kCount, kMore, kNowhere,
       "samples that were due and not taken"},
      {"monitor_jitter_p99_seconds", "/monitor/jitter_p99_seconds", "jitter", kSeconds, kMore,
       kNowhere, "99th percentile of a sample's delay"},
      {"monitor_cpu_seconds", "/monitor/cpu_seconds", "monitor's CPU time", kSeconds, kMore,
       kNowhere, "CPU time of the sampling thread"},
      {"cell_wall_seconds", "/cell/wall_seconds", "wall time", kSeconds, kMore, kNowhere,
       "time of the process that ran this cell of a sweep, start-up included"},
      {"cell_rss_peak_bytes", "/cell/rss_peak_bytes", "RSS of the process tree", kBytes, kMore,
       kNowhere, "highest RSS of that process and its children; only with a memory limit"}};
  return all;
}

std::vector<Figure> figures_in(unsigned places) {
  std::vector<Figure> found;
  for (const Figure& figure : figures()) {
    if ((figure.places & places) != 0) found.push_back(figure);
  }
  return found;
}

std::optional<double> number_at(const Json& document, std::string_view pointer) {
  const Json::json_pointer place{std::string(pointer)};
  if (!document.contains(place) || !document.at(place).is_number()) return std::nullopt;
  const double number = document.at(place).get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool is_not_finite(const Json& document, std::string_view pointer) {
  const Json::json_pointer finite("/loss/finite");
  return pointer.starts_with("/loss/") && document.contains(finite) &&
         document.at(finite) == false && !number_at(document, pointer);
}

std::optional<double> measured_at(const Json& document, std::string_view pointer) {
  if (is_not_finite(document, pointer)) return std::numeric_limits<double>::quiet_NaN();
  return number_at(document, pointer);
}

std::vector<std::optional<double>> values_of(const Record& record,
                                             const std::vector<Figure>& figures) {
  const Json document = sections_json(record);
  std::vector<std::optional<double>> values;
  values.reserve(figures.size());
  for (const Figure& figure : figures) values.push_back(measured_at(document, figure.pointer));
  return values;
}

Unit unit_of_key(std::string_view key) {
  if (key.ends_with("_seconds")) return Unit::kSeconds;
  return key.ends_with("_bytes") ? Unit::kBytes : Unit::kNumber;
}

std::string text_of(Unit unit, std::optional<double> value) {
  if (!value) return "-";
  if (std::isnan(*value)) return "not finite";
  if (unit == Unit::kSeconds) return format_duration(*value);
  if (unit == Unit::kBytes) return format_size(*value);
  return significant(*value, 3);
}

const char* more_word(const Figure& figure) {
  return figure.unit == Unit::kSeconds ? "slower" : "larger";
}

const char* less_word(const Figure& figure) {
  return figure.unit == Unit::kSeconds ? "faster" : "smaller";
}

const char* name_of(Unit unit) {
  // In the order of the enum.
  constexpr std::array<const char*, 4> kNames{"seconds", "bytes", "count", "number"};
  return name_at(kNames, unit);
}

}  // namespace runahead::record
