#include "core/slurm/active_array.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/record/record_file.h"
#include "core/sweep/cell_outcome.h"

namespace runahead::slurm {

namespace {

/// A shared folder may show a file this much later than Slurm an end; for a task that ended well
/// the file must come, of one that was killed it may.
constexpr double kResultLagSeconds = 60.0;
constexpr double kKilledResultLagSeconds = 5.0;

EndedRun::Kind kind_of(const TaskVerdict& verdict, bool has_begun) {
  if (verdict.was_taken_away) return EndedRun::Kind::kTakenAway;
  if (verdict.status != record::Status::kInterrupted) return EndedRun::Kind::kRecord;
  return has_begun ? EndedRun::Kind::kCutShort : EndedRun::Kind::kNotBegun;
}

record::Record with_verdict(record::Record written, const TaskVerdict& verdict) {
  written.status = verdict.status;
  written.error = verdict.error.empty() ? std::nullopt : std::optional(verdict.error);
  return written;
}

}  // namespace

ActiveArray::ActiveArray(ArrayFolder folder, std::optional<std::string> job_id)
    : folder_(std::move(folder)),
      header_(folder_.read_header()),
      tasks_(folder_.tasks()),
      job_id_(std::move(job_id).value_or("")) {}

void ActiveArray::want(std::int64_t task, const WantedRun& run) { wanted_[task] = {.run = run}; }

void ActiveArray::refresh(SlurmClient& client, double now_seconds) {
  results_ = folder_.results();
  to_look_at_.clear();
  for (const auto& [task, wanted] : wanted_) {
    if (results_.count(task) != 0) to_look_at_.push_back(task);
  }
  if (!job_id_.empty()) queued_ = client.tasks_of(job_id_);
  for (auto& [task, wanted] : wanted_) note(task, wanted, now_seconds);
}

void ActiveArray::cancel(SlurmClient& client) {
  if (was_cancelled_ || job_id_.empty()) return;
  client.cancel(job_id_);
  was_cancelled_ = true;
}

void ActiveArray::note(std::int64_t task, Wanted& wanted, double now_seconds) {
  const std::optional<JobState> state = state_of(task);
  if (state && *state != JobState::kPending && *state != JobState::kCancelled) {
    wanted.has_begun = true;
  }
  if (state && !has_ended(*state)) {
    wanted.gone_since_seconds.reset();
    return;
  }
  if (!wanted.gone_since_seconds) wanted.gone_since_seconds = now_seconds;
  if (results_.count(task) == 0) to_look_at_.push_back(task);
}

std::optional<JobState> ActiveArray::state_of(std::int64_t task) const {
  const auto found = queued_.find(task);
  return found == queued_.end() ? std::nullopt : std::optional(found->second.state);
}

std::optional<EndedRun> ActiveArray::take_ended(SlurmClient& client, double now_seconds) {
  while (!to_look_at_.empty()) {
    const std::int64_t task = to_look_at_.front();
    const auto wanted = wanted_.find(task);
    if (wanted == wanted_.end()) {
      to_look_at_.pop_front();
      continue;
    }
    std::optional<EndedRun> end = end_of(task, wanted->second, client, now_seconds);
    to_look_at_.pop_front();
    if (!end) continue;
    wanted_.erase(wanted);
    return end;
  }
  return std::nullopt;
}

std::optional<EndedRun> ActiveArray::end_of(std::int64_t task, const Wanted& wanted,
                                            SlurmClient& client, double now_seconds) {
  EndedRun ended{.run = wanted.run, .task = task};
  std::optional<record::Record> written;
  if (results_.count(task) != 0) written = read_result(task);
  if (written && is_last_word(written->status)) {
    ended.record = std::move(*written);
    return ended;
  }
  TaskEnd end;
  end.was_cancelled = was_cancelled_;
  if (written) {
    end.written = written->status;
    end.written_error = written->error.value_or("");
  }
  if (!ask_for_end(task, wanted, client, now_seconds, end)) return std::nullopt;

  const TaskVerdict verdict = verdict_of(end);
  const bool has_begun =
      wanted.has_begun || written || std::filesystem::exists(folder_.output(task));
  ended.kind = kind_of(verdict, has_begun);
  ended.record = written ? with_verdict(std::move(*written), verdict) : unrun_record(task, verdict);
  if (!written && sweep::lacked_disk_space(ended.record)) ended.kind = EndedRun::Kind::kDiskFull;
  return ended;
}

bool ActiveArray::ask_for_end(std::int64_t task, const Wanted& wanted, SlurmClient& client,
                              double now_seconds, TaskEnd& end) const {
  if (!wanted.gone_since_seconds) return false;
  end.name = job_id_ + "_" + std::to_string(task);
  end.state = state_of(task);
  const bool has_completed = end.state == JobState::kCompleted;
  const double lag_seconds = has_completed ? kResultLagSeconds : kKilledResultLagSeconds;
  // Nothing is written any more where Slurm never knew the array.
  const bool may_still_come = !end.written && !job_id_.empty();
  if (may_still_come && now_seconds - *wanted.gone_since_seconds < lag_seconds) return false;

  // Slurm forgets at once what is cancelled while it waits: thousands of questions for nothing.
  const bool never_began =
      was_cancelled_ && !wanted.has_begun && !std::filesystem::exists(folder_.output(task));
  if (never_began) return true;
  if (!job_id_.empty()) end.detail = client.detail_of(job_id_, task);
  if (!end.state && end.detail) end.state = end.detail->state;
  end.output_end = folder_.output_end(task);
  return !end.state || has_ended(*end.state);
}

std::optional<record::Record> ActiveArray::read_result(std::int64_t task) const {
  try {
    return record::read_record(folder_.result(task));
  } catch (const Error& error) {
    log_warning(std::string(error.what()) + "; it counts as no result");
    return std::nullopt;
  }
}

record::Record ActiveArray::unrun_record(std::int64_t task, const TaskVerdict& verdict) const {
  const Task planned = tasks_.read(task);
  return record::make_unrun_record(planned.cell.config, planned.repeat, planned.cell.axes,
                                   verdict.status, verdict.error);
}

std::optional<EndedRun> ActiveArray::take_abandoned() {
  if (wanted_.empty()) return std::nullopt;
  const auto [task, wanted] = *wanted_.begin();
  wanted_.erase(wanted_.begin());
  EndedRun ended{.kind = EndedRun::Kind::kNotBegun, .run = wanted.run, .task = task};
  std::optional<record::Record> written;
  if (results_.count(task) != 0) written = read_result(task);
  if (!written && !wanted.has_begun) return ended;
  ended.kind = EndedRun::Kind::kCutShort;
  ended.record = written ? *std::move(written) : given_up_record(task);
  return ended;
}

record::Record ActiveArray::given_up_record(std::int64_t task) const {
  return unrun_record(task, {.status = record::Status::kInterrupted,
                             .error = "interrupted by the user; how task " + job_id_ + "_" +
                                      std::to_string(task) + " ended was not awaited"});
}

std::vector<std::int64_t> ActiveArray::unwanted() const {
  std::vector<std::int64_t> tasks;
  for (const auto& [task, queued] : queued_) {
    if (!has_ended(queued.state) && wanted_.count(task) == 0) tasks.push_back(task);
  }
  return tasks;
}

std::vector<std::pair<std::int64_t, sweep::CellJob>> ActiveArray::running() const {
  std::vector<std::pair<std::int64_t, sweep::CellJob>> tasks;
  for (const auto& [task, wanted] : wanted_) {
    if (state_of(task) == JobState::kRunning) tasks.emplace_back(task, wanted.run.job);
  }
  return tasks;
}

std::optional<record::CellProgress> ActiveArray::progress_of(std::int64_t task) const {
  try {
    const Task planned = tasks_.read(task);
    return record::read_cell_progress(header_.cells_folder /
                                      sweep::folder_name(planned.cell, planned.repeat) /
                                      record::kCellProgressName);
  } catch (const Error&) {
    return std::nullopt;  // Who only watches does not end a sweep whose folder does not answer now.
  }
}

std::string ActiveArray::progress() const {
  std::map<JobState, std::size_t> counts;
  std::size_t ended = static_cast<std::size_t>(tasks_.size());
  std::string reason;
  for (const auto& [task, queued] : queued_) {
    if (has_ended(queued.state)) continue;
    ++counts[queued.state];
    ended -= std::min<std::size_t>(ended, 1);
    if (queued.state == JobState::kPending && queued.reason != "None") reason = queued.reason;
  }
  std::string text;
  for (const JobState state :
       {JobState::kRunning, JobState::kCompleting, JobState::kPending, JobState::kOther}) {
    if (counts[state] == 0) continue;
    text += std::to_string(counts[state]) + " " + std::string(words_of(state));
    if (state == JobState::kPending && !reason.empty()) text += " (" + reason + ")";
    text += ", ";
  }
  return "Slurm array " + job_id_ + ": " + text + std::to_string(ended) + " ended";
}

std::map<std::string, LastingWait> ActiveArray::lasting_waits() const {
  std::map<std::string, LastingWait> waits;
  for (const auto& [task, queued] : queued_) {
    if (queued.state != JobState::kPending) continue;
    const std::optional<LastingReason> lasting = lasting_reason(queued.reason);
    if (!lasting) continue;
    LastingWait& wait = waits[std::string(lasting->name)];
    wait.reason = queued.reason;
    wait.remedy = lasting->remedy;
    ++wait.tasks;
  }
  return waits;
}

}  // namespace runahead::slurm
