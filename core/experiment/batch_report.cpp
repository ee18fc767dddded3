#include "core/experiment/batch_report.h"

#include <algorithm>

namespace runahead::experiment {

void report_batches(const train::BatchMeter& meter, std::int64_t batch_size,
                    std::uint64_t own_bytes, TimePoint started, record::Record& record) {
  record.time.batch_finished_seconds.emplace();
  for (const TimePoint finished : meter.times().finished) {
    record.time.batch_finished_seconds->push_back(seconds_between(started, finished));
  }
  const train::BatchCounts counts = meter.counts();
  record.results["batches_issued"] = counts.issued;
  record.results["batches_finished"] = counts.finished;
  record.backlog.batches_peak = counts.in_flight_peak;
  if (record.backlog.bytes_peak) {
    *record.backlog.bytes_peak -= std::min(*record.backlog.bytes_peak, own_bytes);
  }
  if (record.time.total_seconds) {
    const double examples = static_cast<double>(counts.finished) * static_cast<double>(batch_size);
    record.time.examples_per_second = examples / *record.time.total_seconds;
  }
}

}  // namespace runahead::experiment
