#include "core/slurm/slurm_cell_runner.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/config/sha256.h"
#include "core/slurm/array_files.h"
#include "core/slurm/running_array.h"
#include "core/slurm/slurm_client.h"
#include "core/sweep/cell_outcome.h"
#include "core/sweep/run_figures.h"
#include "core/sweep/shard.h"

namespace runahead::slurm {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxAttempts = 2;
constexpr double kSilencePatienceSeconds = 600.0;
constexpr double kCancelPatienceSeconds = 120.0;
constexpr double kShortestPauseSeconds = 1.0;
constexpr double kLongestPauseSeconds = 10.0;
constexpr double kPauseGrowth = 1.5;

/// The settings that a sweep must share with an earlier one to take over its array.
Json settings_of(const SlurmOptions& options) {
  return {{"version", sweep::own_version()},
          {"sweep", sha256_hex(dump_json(options.sweep))},
          {"options", options.needs.options},
          {"retry", std::set(options.retry.begin(), options.retry.end())}};
}

class SlurmCellRunner final : public sweep::CellRunner {
 public:
  SlurmCellRunner(std::shared_ptr<SubmitHost> host, SlurmOptions options, const sweep::Plan& plan)
      : host_(std::move(host)),
        options_(std::move(options)),
        client_(*host_),
        max_tasks_(std::min(kMaxArrayTasks, client_.max_array_size())),
        shard_count_(static_cast<std::int64_t>(plan.jobs.size())),
        shards_(sweep::divide(plan, shard_count_)) {
    take_over_or_end_earlier();
  }

  void start(const sweep::Cell& cell, const sweep::CellJob& job) override {
    note_stored();
    WantedRun run{.cell = cell, .job = job, .shard = {shards_.at(job), shard_count_}};
    ++open_runs_;
    if (array_ && array_->want_earlier(run)) return;
    waiting_.push_back(std::move(run));
  }

  sweep::CellResult wait_any() override { return *wait_at_most(std::nullopt); }

  std::optional<sweep::CellResult> wait_any_for(double seconds) override {
    return wait_at_most(seconds);
  }

  sweep::RunnerActivity activity(std::size_t detailed) override {
    sweep::RunnerActivity activity;
    if (array_) array_->describe(activity, detailed, options_.folder / "cells");
    activity.waiting = open_runs_ - std::min(open_runs_, activity.running.size());
    return activity;
  }

  void finish() override {
    note_stored();
    cancel_if_interrupted();
    close_when_done();
  }

  bool interrupted() override {
    note_stored();
    return host_->interrupted();
  }

 private:
  /// @param patience_seconds  nullopt: waits as long as it takes.
  std::optional<sweep::CellResult> wait_at_most(std::optional<double> patience_seconds) {
    RUNAHEAD_REQUIRE(open_runs_ > 0, "no cell is running");
    note_stored();
    for (;;) {
      if (!is_poll_due(patience_seconds)) return std::nullopt;
      next_poll_seconds_ = 0.0;
      cancel_if_interrupted();
      if (auto result = next_result()) return result;
      submit_when_idle();
      poll();
      if (auto result = next_result()) return result;
      next_poll_seconds_ = host_->now_seconds() + pause_seconds_;
      pause_seconds_ = std::min(pause_seconds_ * kPauseGrowth, kLongestPauseSeconds);
    }
  }

  void take_over_or_end_earlier() {
    std::optional<ArrayFiles> earlier = open_array(options_.folder);
    if (earlier && earlier->job_id.empty()) {  // The sweep was killed during submission.
      earlier->job_id = client_.find_array(earlier->name).value_or("");
    }
    const bool was_submitted = earlier && !earlier->job_id.empty();
    if (was_submitted && options_.takes_over && earlier->settings == settings_of(options_)) {
      array_.emplace(*earlier, options_.folder, true);
      return;
    }
    if (was_submitted) cancel_earlier(*earlier);
    if (host_->interrupted()) return;
    if (earlier) earlier->close();
    if (!options_.takes_over) fs::remove_all(options_.folder / "shards");
  }

  void cancel_earlier(const ArrayFiles& files) {
    log_info("cancelling Slurm array " + files.job_id +
             " of an earlier sweep: it has another version, config or options");
    client_.cancel(files.job_id);
    const double patience_end_seconds = host_->now_seconds() + kCancelPatienceSeconds;
    const auto runs = [](const auto& task) { return !has_ended(task.second.state); };
    for (;;) {
      const QueuedTasks tasks = client_.tasks_of(files.job_id);
      if (host_->interrupted() || std::ranges::none_of(tasks, runs)) return;
      if (host_->now_seconds() > patience_end_seconds) {
        throw Error("Slurm array " + files.job_id +
                    " of an earlier sweep has not ended two minutes after scancel: see `squeue`");
      }
      host_->wait(kShortestPauseSeconds);
    }
  }

  /// Deletes the file of the last returned shard: the caller has stored its record.
  void note_stored() {
    if (!returned_) return;
    std::error_code ignored;
    fs::remove(sweep::shard_records(options_.folder, *returned_), ignored);
    returned_.reset();
  }

  /// Waits until the next poll is due; false if the caller's patience ends first. An interrupt
  /// makes it due at once.
  bool is_poll_due(std::optional<double>& patience_seconds) {
    while (host_->now_seconds() < next_poll_seconds_) {
      if (host_->interrupted() && !cancelled_at_seconds_) return true;
      if (patience_seconds && *patience_seconds <= 0.0) return false;
      const double begin_seconds = host_->now_seconds();
      const double left_seconds = next_poll_seconds_ - begin_seconds;
      host_->wait(std::min(left_seconds, patience_seconds.value_or(left_seconds)));
      if (patience_seconds) *patience_seconds -= host_->now_seconds() - begin_seconds;
    }
    return true;
  }

  void submit_when_idle() {
    close_when_done();
    while (!array_ && !waiting_.empty() && !cancelled_at_seconds_) try_to_submit();
  }

  /// Submits as many runs as an array may have, or lowers that number.
  void try_to_submit() {
    ArrayScript script{.options = options_,
                       .folder = next_array_folder(options_.folder),
                       .shard_count = shard_count_};
    std::vector<WantedRun> runs;
    for (; !waiting_.empty() && std::cmp_less(runs.size(), max_tasks_); waiting_.pop_front()) {
      runs.push_back(std::move(waiting_.front()));
    }
    try {
      array_.emplace(submit(std::move(script), settings_of(options_), runs, client_),
                     options_.folder, false);
    } catch (const RejectedError& error) {
      if (!error.is_too_large() || runs.size() < 2) throw;
      max_tasks_ = static_cast<std::int64_t>(runs.size() / 2);
      log_info(std::string(error.what()) + "; trying an array of " + std::to_string(max_tasks_) +
               " tasks instead of " + std::to_string(runs.size()));
      std::move(runs.rbegin(), runs.rend(), std::front_inserter(waiting_));
      return;
    }
    for (WantedRun& run : runs) array_->want(std::move(run));
    pause_seconds_ = kShortestPauseSeconds;
  }

  void poll() {
    if (!array_) return;
    try {
      const bool has_changed = array_->poll(client_, host_->now_seconds());
      silent_since_seconds_.reset();
      if (!has_changed) return;
      pause_seconds_ = kShortestPauseSeconds;
      if (options_.report) options_.report(array_->queue_text());
    } catch (const NoAnswerError& error) {
      note_silence(error);
    }
  }

  std::optional<sweep::CellResult> next_result() {
    if (!not_begun_.empty()) {
      const sweep::CellJob job = not_begun_.front();
      not_begun_.pop_front();
      return unbegun(job);
    }
    while (array_) {
      std::optional<EndedRun> ended = is_patience_over() ? array_->take_abandoned() : take_ended();
      if (!ended) break;
      pause_seconds_ = kShortestPauseSeconds;
      if (auto result = accept(*std::move(ended))) return result;
    }
    return std::nullopt;
  }

  std::optional<EndedRun> take_ended() {
    try {
      return array_->take_ended(client_, host_->now_seconds());
    } catch (const NoAnswerError& error) {
      note_silence(error);
      return std::nullopt;
    }
  }

  /// Returns the run's result; nullopt: the run is submitted again.
  std::optional<sweep::CellResult> accept(EndedRun ended) {
    if (cancelled_at_seconds_) {
      if (!ended.has_begun || ended.lacked_disk_space) return unbegun(ended.run.job);
    } else if (ended.deserves_another_try && ended.run.attempts < kMaxAttempts) {
      ++ended.run.attempts;
      waiting_.push_back(std::move(ended.run));
      return std::nullopt;
    } else if (ended.lacked_disk_space) {
      throw Error("the disk is full, so the sweep stops (" + ended.record.error.value_or("") +
                  "); what was submitted goes on: free some space and run the same command again "
                  "to resume");
    }
    --open_runs_;
    returned_ = ended.run.shard;
    return sweep::CellResult{.job = ended.run.job, .record = std::move(ended.record)};
  }

  sweep::CellResult unbegun(const sweep::CellJob& job) {
    --open_runs_;
    return {.job = job, .began = false};
  }

  void cancel_if_interrupted() {
    if (!host_->interrupted()) return;
    if (!cancelled_at_seconds_) cancelled_at_seconds_ = host_->now_seconds();
    for (const WantedRun& run : waiting_) not_begun_.push_back(run.job);
    waiting_.clear();
    pause_seconds_ = kShortestPauseSeconds;
    try {
      if (array_) array_->cancel(client_);
    } catch (const NoAnswerError& error) {
      note_silence(error);
    }
  }

  [[nodiscard]] bool is_patience_over() {
    return cancelled_at_seconds_ &&
           host_->now_seconds() - *cancelled_at_seconds_ >= kCancelPatienceSeconds;
  }

  /// An abandoned array stays open for the next sweep.
  void close_when_done() {
    if (!array_ || !array_->is_done()) return;
    if (!array_->was_abandoned()) array_->files().close();
    array_.reset();
  }

  void note_silence(const NoAnswerError& error) {
    const double now_seconds = host_->now_seconds();
    if (!silent_since_seconds_) {
      silent_since_seconds_ = now_seconds;
      log_warning(std::string(error.what()) + "; waiting for Slurm to answer");
    }
    if (now_seconds - *silent_since_seconds_ < kSilencePatienceSeconds) return;
    throw Error(std::string("Slurm has not answered for ten minutes (") + error.what() +
                "); what was submitted goes on: run the same command again to take it over");
  }

  std::shared_ptr<SubmitHost> host_;
  SlurmOptions options_;
  SlurmClient client_;
  std::int64_t max_tasks_;
  std::int64_t shard_count_;
  std::map<sweep::CellJob, std::int64_t> shards_;
  std::optional<RunningArray> array_{};
  std::deque<WantedRun> waiting_{};         ///< Not submitted yet.
  std::deque<sweep::CellJob> not_begun_{};  ///< Not submitted when the user interrupted.
  std::size_t open_runs_ = 0;
  std::optional<sweep::Shard> returned_{};  ///< The shard that the last wait returned.
  double pause_seconds_ = kShortestPauseSeconds;
  double next_poll_seconds_ = 0.0;
  std::optional<double> silent_since_seconds_{};
  std::optional<double> cancelled_at_seconds_{};
};

}  // namespace

int cpus_of(const config::ExperimentConfig& config) {
  const int workers = config.acpu.workers * config.threads.intra_op;
  return config.device == "acpu" ? 1 + workers : config.threads.intra_op;
}

std::string script_of(const SlurmOptions& options, const sweep::Plan& plan) {
  const auto runs = static_cast<std::int64_t>(plan.jobs.size());
  ArrayScript script{
      .options = options, .folder = next_array_folder(options.folder), .shard_count = runs};
  for (std::int64_t shard = 0; shard < std::min(runs, kMaxArrayTasks); ++shard) {
    script.shards.push_back(shard);
  }
  for (const sweep::CellJob& job : plan.jobs) {
    if (job.repeat > 0) continue;
    script.cpus = std::max(script.cpus, cpus_of(plan.cells[job.cell].config));
  }
  return text_of(script);
}

void warn_of_open_array(const fs::path& sweep_folder) {
  const std::optional<ArrayFiles> files = open_array(sweep_folder);
  if (!files) return;
  const bool is_known = !files->job_id.empty();
  log_warning("Slurm array " + (is_known ? files->job_id : files->name) +
              " of an earlier sweep may still run and write into this folder: stop it with " +
              "`scancel " + (is_known ? files->job_id : "--name=" + files->name) + "`");
}

void close_open_array(const fs::path& sweep_folder) {
  if (const std::optional<ArrayFiles> files = open_array(sweep_folder)) files->close();
}

std::unique_ptr<sweep::CellRunner> make_slurm_cell_runner(std::shared_ptr<SubmitHost> host,
                                                          SlurmOptions options,
                                                          const sweep::Plan& plan) {
  return std::make_unique<SlurmCellRunner>(std::move(host), std::move(options), plan);
}

}  // namespace runahead::slurm
