#include "core/recording/batch_report.h"

#include <algorithm>

namespace runahead::recording {

void report_batches(const BatchLoop& loop, TimePoint started, record::Record& record) {
  record.time.batch_finished_seconds.emplace();
  for (const TimePoint finished : loop.batches.finish_times()) {
    record.time.batch_finished_seconds->push_back(seconds_between(started, finished));
  }
  const BatchCounts counts = loop.batches.counts();
  record.results["batches_issued"] = counts.issued;
  record.results["batches_finished"] = counts.finished;
  const bool was_counted = counts.issued > 0;
  if (was_counted) record.backlog.batches_peak = counts.in_flight_peak;
  if (record.backlog.bytes_peak) {
    *record.backlog.bytes_peak -= std::min(*record.backlog.bytes_peak, loop.own_bytes);
  } else if (was_counted && !loop.executes_at_issue) {
    record.backlog.bytes_peak = counts.kept_bytes_peak;
  }
  if (record.time.total_seconds && loop.batch_size) {
    const double examples = static_cast<double>(counts.finished) * *loop.batch_size;
    record.time.examples_per_second = examples / *record.time.total_seconds;
  }
}

}  // namespace runahead::recording
