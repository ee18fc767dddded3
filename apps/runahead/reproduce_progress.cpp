#include "apps/runahead/reproduce_progress.h"

#include <cmath>
#include <utility>

#include "core/base/duration.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/sweep/estimate.h"

namespace runahead::apps {
namespace {

constexpr std::size_t kDefaultColumns = 80;

std::string job_name(const reproduce::ReproduceJob& job) {
  std::string name = job.run + " on " + job.device;
  if (job.attempt > 0) name += ", attempt " + std::to_string(job.attempt + 1);
  return name;
}

std::string done_text(std::size_t done, std::size_t total) {
  return std::to_string(done) + "/" + std::to_string(total);
}

}  // namespace

ReproduceProgress::ReproduceProgress(std::ostream& out,
                                     std::function<std::optional<std::size_t>()> columns,
                                     bool is_asked)
    : columns_(std::move(columns)), is_asked_(is_asked) {
  if (columns_()) lines_ = std::make_unique<LinesInPlace>(out);
}

void ReproduceProgress::look(const reproduce::ReproduceJob& job,
                             const sweep::RunnerActivity& activity, std::size_t done,
                             std::size_t total) {
  if (!lines_ || activity.running.empty()) return;
  const double running_seconds = activity.running.front().seconds.value_or(0.0);
  std::string line = done_text(done, total) + " done";
  if (ended_ > 0) {
    const double of_ended_seconds = seconds_between(start_, Clock::now()) - running_seconds;
    const auto seconds_left = sweep::seconds_left(
        total - done, /*jobs=*/1, of_ended_seconds / static_cast<double>(ended_), activity);
    if (seconds_left) {
      line += ", about " + format_rough_duration(std::ceil(*seconds_left)) + " left";
    }
  }
  show(line + "; " + job_name(job) + "  " + format_rough_duration(std::floor(running_seconds)));
}

void ReproduceProgress::end(const reproduce::ReproduceJob& job, const record::Record& record,
                            std::size_t done, std::size_t total) {
  ++ended_;
  const bool is_ok = record.status == record::Status::kOk;
  if (!is_ok || (is_asked_ && !lines_)) {
    std::string line = "reproduce: [" + done_text(done, total) + "] " + job_name(job) + ": " +
                       std::string(record::name_of(record.status));
    if (record.error) line += ": " + *record.error;
    log_info(line);
  }
  show(done_text(done, total) + " done");
}

void ReproduceProgress::clear() {
  if (lines_) lines_->clear();
}

/// For example "12/60 done, about 3 min left; train.on_device.none.long on acpu  4 s".
void ReproduceProgress::show(const std::string& line) {
  if (lines_) lines_->show({in_one_line(line, columns_().value_or(kDefaultColumns) - 1)});
}

}  // namespace runahead::apps
