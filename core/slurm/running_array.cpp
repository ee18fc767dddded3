#include "core/slurm/running_array.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/config/sha256.h"
#include "core/record/cell_progress.h"
#include "core/record/record_file.h"
#include "core/slurm/slurm_cell_runner.h"
#include "core/slurm/task_outcome.h"
#include "core/sweep/cell_outcome.h"

namespace runahead::slurm {

namespace fs = std::filesystem;

namespace {

/// How long after Slurm reports the end of a task its record may take to appear in a shared folder.
/// A task that ends by itself leaves one, also if it fails; one that is killed may not.
constexpr double kRecordLagSeconds = 60.0;
constexpr double kKilledRecordLagSeconds = 5.0;
constexpr std::size_t kMostWarnings = 20;

std::string unique_name(const fs::path& folder) {
  constexpr std::size_t kDigits = 12;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return "runahead-" + sha256_hex(folder.string() + std::to_string(now)).substr(0, kDigits);
}

record::Record with_verdict(std::optional<record::Record> written, const WantedRun& run,
                            const TaskVerdict& verdict) {
  if (!written) {
    return record::make_unrun_record(run.cell.config, run.job.repeat, run.cell.axes, verdict.status,
                                     verdict.error);
  }
  written->status = verdict.status;
  written->error = verdict.error.empty() ? std::nullopt : std::optional(verdict.error);
  return *std::move(written);
}

}  // namespace

ArrayFiles submit(ArrayScript script, const Json& settings, const std::vector<WantedRun>& runs,
                  SlurmClient& client) {
  for (const WantedRun& run : runs) {
    script.shards.push_back(run.shard.index);
    script.cpus = std::max(script.cpus, cpus_of(run.cell.config));
    std::error_code missing;
    fs::remove(sweep::shard_records(script.options.folder, run.shard), missing);
  }
  script.name = unique_name(script.folder);
  ArrayFiles files{
      .folder = script.folder, .name = script.name, .settings = settings, .shards = script.shards};
  write_file_atomically(files.folder / "sweep.json", dump_json(script.options.sweep) + "\n");
  write_file_atomically(files.script(), text_of(script));
  files.save();
  try {
    files.job_id = client.submit(files.script());
  } catch (const RejectedError&) {
    files.close();
    throw;
  }
  files.save();
  return files;
}

RunningArray::RunningArray(ArrayFiles files, fs::path sweep_folder, bool is_earlier)
    : files_(std::move(files)), sweep_folder_(std::move(sweep_folder)), is_earlier_(is_earlier) {
  std::int64_t task = 0;
  for (const std::int64_t shard : files_.shards) task_of_shard_[shard] = task++;
}

void RunningArray::want(WantedRun run) {
  const std::int64_t task = task_of_shard_.at(run.shard.index);
  wanted_[task] = {.run = std::move(run)};
}

bool RunningArray::want_earlier(WantedRun run) {
  if (!is_earlier_ || !task_of_shard_.contains(run.shard.index)) return false;
  run.attempts = 0;
  want(std::move(run));
  return true;
}

bool RunningArray::poll(SlurmClient& client, double now_seconds) {
  candidates_.clear();
  for (const auto& [task, wanted] : wanted_) candidates_.push_back(task);
  queued_ = client.tasks_of(files_.job_id);
  candidates_.clear();
  for (auto& [task, wanted] : wanted_) note(task, wanted, now_seconds);
  warn_of_lasting_waits();
  const std::string before = std::exchange(queue_text_, count_states());
  return before != queue_text_;
}

void RunningArray::note(std::int64_t task, Wanted& wanted, double now_seconds) {
  const std::optional<JobState> state = state_of(task);
  if (state && *state != JobState::kPending && *state != JobState::kCancelled) {
    wanted.has_begun = true;
  }
  const bool is_alive = state && !has_ended(*state);
  if (is_alive) {
    wanted.end.reset();
  } else {
    if (!wanted.end) wanted.end = {.since_seconds = now_seconds};
    if (state) wanted.end->state = state;
  }
  if (state != JobState::kPending) candidates_.push_back(task);
}

void RunningArray::cancel(SlurmClient& client) {
  if (was_cancelled_) return;
  client.cancel(files_.job_id);
  was_cancelled_ = true;
}

std::optional<JobState> RunningArray::state_of(std::int64_t task) const {
  const auto found = queued_.find(task);
  return found == queued_.end() ? std::nullopt : std::optional(found->second.state);
}

std::optional<EndedRun> RunningArray::take_ended(SlurmClient& client, double now_seconds) {
  for (; !candidates_.empty(); candidates_.pop_front()) {
    const auto wanted = wanted_.find(candidates_.front());
    if (wanted == wanted_.end()) continue;
    std::optional<EndedRun> ended = end_of(wanted->first, wanted->second, client, now_seconds);
    if (!ended) continue;
    wanted_.erase(wanted);
    return ended;
  }
  return std::nullopt;
}

bool RunningArray::may_still_show_record(std::int64_t task, Wanted::End& end, SlurmClient& client,
                                         double now_seconds) const {
  const double seconds = now_seconds - end.since_seconds;
  if (seconds < kKilledRecordLagSeconds) return true;
  if (seconds >= kRecordLagSeconds) return false;
  if (end.state == JobState::kFailed) ask_for_detail(task, end, client);
  return end.state == JobState::kCompleted ||
         (end.state == JobState::kFailed && end.detail && end.detail->signal == 0);
}

void RunningArray::ask_for_detail(std::int64_t task, Wanted::End& end, SlurmClient& client) const {
  if (end.state && !end.detail) end.detail = client.detail_of(files_.job_id, task);
}

std::optional<EndedRun> RunningArray::end_of(std::int64_t task, Wanted& wanted, SlurmClient& client,
                                             double now_seconds) const {
  std::optional<record::Record> written = record_of(wanted.run);
  if (written && is_final(written->status)) {
    return EndedRun{.run = wanted.run, .record = *std::move(written)};
  }
  if (!wanted.end) return std::nullopt;
  if (!written && may_still_show_record(task, *wanted.end, client, now_seconds)) {
    return std::nullopt;
  }
  ask_for_detail(task, *wanted.end, client);
  TaskEnd end{.name = files_.job_id + "_" + std::to_string(task),
              .state = wanted.end->state,
              .detail = wanted.end->detail,
              .output_end = files_.output_end(task),
              .was_cancelled = was_cancelled_};
  if (written) {
    end.written = written->status;
    end.written_error = written->error.value_or("");
  }
  const TaskVerdict verdict = verdict_of(end);
  const bool has_record = written.has_value();
  EndedRun ended{.run = wanted.run,
                 .record = with_verdict(std::move(written), wanted.run, verdict)};
  const bool was_interrupted = verdict.status == record::Status::kInterrupted;
  ended.has_begun =
      !was_interrupted || wanted.has_begun || has_record || fs::exists(files_.output(task));
  ended.lacked_disk_space = !has_record && sweep::lacked_disk_space(ended.record);
  ended.deserves_another_try =
      verdict.was_taken_away || (is_earlier_ && (was_interrupted || !has_record));
  return ended;
}

std::optional<record::Record> RunningArray::record_of(const WantedRun& run) const {
  std::optional<record::Record> last;
  try {
    record::for_each_record(sweep::shard_records(sweep_folder_, run.shard),
                            [&](const record::Record& record) {
                              if (record.id == run.cell.id && record.repeat == run.job.repeat)
                                last = record;
                            });
  } catch (const Error& error) {
    log_warning(std::string(error.what()) + "; ignoring that file");
    return std::nullopt;
  }
  return last;
}

std::optional<EndedRun> RunningArray::take_abandoned() {
  if (wanted_.empty()) return std::nullopt;
  if (!std::exchange(was_abandoned_, true)) {
    log_warning("two minutes after scancel some tasks of Slurm array " + files_.job_id +
                " have not ended: see `squeue`");
  }
  const auto [task, wanted] = *wanted_.begin();
  wanted_.erase(wanted_.begin());
  std::optional<record::Record> written = record_of(wanted.run);
  const std::string name = files_.job_id + "_" + std::to_string(task);
  const TaskVerdict verdict{
      .status = record::Status::kInterrupted,
      .error = "interrupted by the user; Slurm task " + name + " had not ended two minutes later"};
  const bool has_begun = wanted.has_begun || written;
  record::Record record = written ? *written : with_verdict(std::nullopt, wanted.run, verdict);
  return EndedRun{.run = wanted.run, .record = std::move(record), .has_begun = has_begun};
}

void RunningArray::describe(sweep::RunnerActivity& activity, std::size_t detailed,
                            const fs::path& cells_folder) const {
  activity.queue = queue_text_;
  for (const auto& [task, wanted] : wanted_) {
    if (state_of(task) != JobState::kRunning) continue;
    activity.running.push_back({.job = wanted.run.job});
    if (activity.running.size() > detailed) continue;
    const std::string name = sweep::folder_name(wanted.run.cell, wanted.run.job.repeat);
    sweep::RunningCell& cell = activity.running.back();
    cell.progress = record::read_cell_progress(cells_folder / name / record::kCellProgressName);
    if (!cell.progress) continue;
    cell.seconds = cell.progress->seconds;
    cell.rss_bytes = cell.progress->rss_bytes;
  }
}

std::string RunningArray::count_states() const {
  std::size_t running = 0;
  std::size_t pending = 0;
  std::string reason;
  for (const auto& [task, queued] : queued_) {
    if (queued.state == JobState::kRunning) ++running;
    if (queued.state != JobState::kPending) continue;
    ++pending;
    if (queued.reason != "None") reason = " (" + queued.reason + ")";
  }
  const std::size_t alive = running + pending;
  std::string text = "Slurm array " + files_.job_id + ": ";
  if (running > 0) text += std::to_string(running) + " running, ";
  if (pending > 0) text += std::to_string(pending) + " pending" + reason + ", ";
  return text + std::to_string(files_.shards.size() - std::min(files_.shards.size(), alive)) +
         " ended";
}

void RunningArray::warn_of_lasting_waits() {
  for (const auto& [task, queued] : queued_) {
    if (queued.state != JobState::kPending || warned_.size() >= kMostWarnings) continue;
    const std::string warning = lasting_wait(queued.reason, files_.job_id);
    if (warning.empty() || !warned_.insert(queued.reason.substr(0, queued.reason.find(','))).second)
      continue;
    log_warning(warning);
  }
}

}  // namespace runahead::slurm
