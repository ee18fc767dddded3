#include "core/slurm/slurm_cell_runner.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/slurm/earlier_arrays.h"
#include "core/slurm/poll_pause.h"

namespace runahead::slurm {

namespace {

constexpr int kMaxAttempts = 2;
constexpr double kSilencePatienceSeconds = 600.0;
constexpr double kCancelPatienceSeconds = 120.0;
constexpr std::size_t kMostWarnings = 20;  ///< Of reasons why tasks of one array wait.

}  // namespace

class SlurmCellRunner::Arrays {
 public:
  Arrays(SubmitHost& host, SlurmOptions options)
      : host_(host),
        options_(std::move(options)),
        client_(host),
        max_tasks_(std::min(kMaxArrayTasks, client_.max_array_size())),
        earlier_(find_earlier_arrays(options_.array, options_.takes_over, client_)),
        held_(std::move(earlier_.arrays)) {}

  void start(const sweep::Cell& cell, const sweep::CellJob& job) {
    note_stored();
    const auto earlier = earlier_.tasks.find(run_key(cell.id, job.repeat));
    if (earlier == earlier_.tasks.end()) {
      add_to_draft(cell, {.job = job});
    } else {
      const auto [held, task] = earlier->second;
      held->array.want(task, {.job = job, .attempts = 0});
      earlier_.tasks.erase(earlier);
    }
    ++open_runs_;
  }

  /// @param patience_seconds  nullopt: as long as it takes.
  std::optional<sweep::CellResult> wait_any(std::optional<double> patience_seconds) {
    RUNAHEAD_REQUIRE(open_runs_ > 0, "no cell is running");
    note_stored();
    for (;;) {
      if (!pause_.wait(patience_seconds) && !was_interrupted_now()) return std::nullopt;
      pause_.end();
      stop_if_asked();
      cancel_what_nobody_wants();
      if (auto result = next_result()) return *std::move(result);
      close_what_is_done();
      submit_when_idle();
      if (auto result = look()) return *std::move(result);
      pause_.begin();
    }
  }

  [[nodiscard]] sweep::RunnerActivity activity(std::size_t detailed) const {
    sweep::RunnerActivity activity;
    for (const auto& held : held_) {
      if (!held->told.empty()) activity.queue += (activity.queue.empty() ? "" : "; ") + held->told;
      for (const auto& [task, job] : held->array.running()) {
        activity.running.push_back({.job = job});
        if (activity.running.size() > detailed) continue;
        sweep::RunningCell& cell = activity.running.back();
        cell.progress = held->array.progress_of(task);
        if (!cell.progress) continue;
        cell.seconds = cell.progress->seconds;
        cell.rss_bytes = cell.progress->rss_bytes;
      }
    }
    activity.waiting = open_runs_ - std::min(open_runs_, activity.running.size());
    return activity;
  }

  void finish() {
    note_stored();
    if (host_.interrupted()) {
      stop_if_asked();
    } else {
      cancel_what_nobody_wants();
    }
    close_what_is_done();
  }

  bool interrupted() {
    note_stored();
    return host_.interrupted();
  }

 private:
  /// The caller went on, so the record that it got last is stored.
  void note_stored() {
    if (!returned_) return;
    returned_->first->array.folder().mark_stored(returned_->second);
    returned_.reset();
  }

  /// Then what runs is cancelled at once.
  bool was_interrupted_now() { return host_.interrupted() && !cancelled_at_seconds_; }

  void close_what_is_done() {
    if (!was_polled_) return;
    const auto done = std::partition(held_.begin(), held_.end(), [&](const auto& held) {
      return !held->array.is_done() || held->is_abandoned || is_left_to_the_next_sweep(*held);
    });
    for (auto held = done; held != held_.end(); ++held) {
      (*held)->array.folder().close();
      std::erase_if(earlier_.tasks,
                    [&](const auto& entry) { return entry.second.first == held->get(); });
    }
    held_.erase(done, held_.end());
  }

  /// An interrupted sweep has not asked for all that it wants.
  bool is_left_to_the_next_sweep(const HeldArray& held) {
    return host_.interrupted() &&
           std::any_of(earlier_.tasks.begin(), earlier_.tasks.end(),
                       [&](const auto& entry) { return entry.second.first == &held; });
  }

  void add_to_draft(const sweep::Cell& cell, const WantedRun& run) {
    if (drafts_.empty() || drafts_.back().size() == max_tasks_) {
      drafts_.emplace_back(options_.array);
    }
    drafts_.back().add(cell, run);
    if (drafts_.back().size() == max_tasks_) drafts_.back().finish();
  }

  /// Once, when it is known what the sweep wants of earlier arrays.
  void cancel_what_nobody_wants() {
    if (was_polled_) return;
    try {
      for (const auto& held : held_) {
        if (held->array.job_id().empty() || held->array.was_cancelled()) continue;
        held->array.refresh(client_, host_.now_seconds());
        client_.cancel(held->array.job_id(), held->array.unwanted());
      }
      was_polled_ = true;
    } catch (const NoAnswerError& error) {
      note_silence(error);
    }
  }

  void submit_when_idle() {
    if (!held_.empty() || drafts_.empty() || cancelled_at_seconds_) return;
    held_.push_back(
        std::make_unique<HeldArray>(HeldArray{.array = drafts_.front().submit(client_)}));
    drafts_.pop_front();
    pause_.shorten_next();
  }

  /// Asks Slurm, and returns what it then knows to have ended.
  std::optional<sweep::CellResult> look() {
    is_silent_ = false;
    try {
      for (const auto& held : held_) {
        held->array.refresh(client_, host_.now_seconds());
        tell_progress(*held);
        warn_of_lasting_waits(*held);
      }
    } catch (const NoAnswerError& error) {
      note_silence(error);
    }
    std::optional<sweep::CellResult> result = next_result();
    if (!is_silent_) silent_since_seconds_.reset();
    return result;
  }

  std::optional<sweep::CellResult> next_result() {
    if (!not_begun_.empty()) {
      const sweep::CellJob job = not_begun_.front();
      not_begun_.pop_front();
      return unbegun(job);
    }
    if (is_patience_over()) return next_abandoned();
    while (auto ended = take_ended()) {
      pause_.shorten_next();
      if (auto result = accept(*ended->first, std::move(ended->second))) return result;
    }
    return std::nullopt;
  }

  std::optional<std::pair<HeldArray*, EndedRun>> take_ended() {
    try {
      for (const auto& held : held_) {
        if (auto ended = held->array.take_ended(client_, host_.now_seconds())) {
          return std::pair(held.get(), *std::move(ended));
        }
      }
    } catch (const NoAnswerError& error) {
      note_silence(error);
    }
    return std::nullopt;
  }

  /// nullopt: the run is submitted again.
  std::optional<sweep::CellResult> accept(HeldArray& held, EndedRun ended) {
    if (!cancelled_at_seconds_) {
      if (is_for_another_try(held, ended)) {
        ++ended.run.attempts;
        add_to_draft(held.array.tasks().read(ended.task).cell, ended.run);
        return std::nullopt;
      }
      if (ended.kind == EndedRun::Kind::kDiskFull) {
        throw Error("a disk is full, so the sweep stops (" + ended.record.error.value_or("") +
                    "); what was submitted goes on: free some space and start the same sweep "
                    "again, it resumes");
      }
    } else if (ended.kind == EndedRun::Kind::kNotBegun || ended.kind == EndedRun::Kind::kDiskFull ||
               held.is_superseded) {
      return unbegun(ended.run.job);
    }
    --open_runs_;
    returned_ = {&held, ended.task};
    return sweep::CellResult{.job = ended.run.job, .record = std::move(ended.record)};
  }

  /// Whether how it ended says nothing of the run.
  static bool is_for_another_try(const HeldArray& held, const EndedRun& ended) {
    if (held.is_superseded) return true;
    switch (ended.kind) {
      case EndedRun::Kind::kRecord:
        return false;
      case EndedRun::Kind::kTakenAway:
        return ended.run.attempts < kMaxAttempts;
      case EndedRun::Kind::kDiskFull:
      case EndedRun::Kind::kCutShort:
      case EndedRun::Kind::kNotBegun:
        break;
    }
    return held.is_earlier;
  }

  sweep::CellResult unbegun(const sweep::CellJob& job) {
    --open_runs_;
    return {.job = job, .began = false};
  }

  void stop_if_asked() {
    if (!host_.interrupted()) return;
    if (!cancelled_at_seconds_) {
      cancelled_at_seconds_ = host_.now_seconds();
      for (const ArrayDraft& draft : drafts_) {
        for (const WantedRun& run : draft.runs()) not_begun_.push_back(run.job);
        draft.discard();
      }
      drafts_.clear();
    }
    pause_.shorten_next();
    try {
      for (const auto& held : held_) held->array.cancel(client_);
    } catch (const NoAnswerError& error) {
      note_silence(error);
    }
  }

  bool is_patience_over() {
    return cancelled_at_seconds_ &&
           host_.now_seconds() - *cancelled_at_seconds_ >= kCancelPatienceSeconds;
  }

  std::optional<sweep::CellResult> next_abandoned() {
    for (const auto& held : held_) {
      if (auto ended = held->array.take_abandoned()) {
        if (!held->is_abandoned) {
          log_warning("Slurm has not told within two minutes of scancel how all tasks of array " +
                      held->array.job_id() + " ended: see `squeue`");
        }
        held->is_abandoned = true;
        return accept(*held, *std::move(ended));
      }
    }
    return std::nullopt;
  }

  void note_silence(const NoAnswerError& error) {
    const double now = host_.now_seconds();
    is_silent_ = true;
    if (!silent_since_seconds_) {
      silent_since_seconds_ = now;
      log_warning(std::string(error.what()) + "; waiting for Slurm to answer");
    }
    if (now - *silent_since_seconds_ < kSilencePatienceSeconds) return;
    throw Error(std::string("Slurm has not answered for ten minutes (") + error.what() +
                "); what was submitted goes on: start the same sweep again to take it over");
  }

  void tell_progress(HeldArray& held) {
    if (held.array.job_id().empty()) return;
    const std::string progress = held.array.progress();
    if (std::exchange(held.told, progress) == progress) return;
    pause_.shorten_next();
    if (options_.tell) options_.tell(progress);
  }

  void warn_of_lasting_waits(HeldArray& held) {
    for (const auto& [name, wait] : held.array.lasting_waits()) {
      if (held.warned.size() == kMostWarnings || !held.warned.insert(name).second) continue;
      log_warning(describe(wait, held.array.job_id()));
    }
  }

  SubmitHost& host_;
  SlurmOptions options_;
  SlurmClient client_;
  std::int64_t max_tasks_;
  EarlierArrays earlier_;
  std::vector<std::unique_ptr<HeldArray>> held_;  ///< Submitted, and not done.
  std::deque<ArrayDraft> drafts_{};
  std::deque<sweep::CellJob> not_begun_{};  ///< Collected and, after an interrupt, not submitted.
  std::size_t open_runs_ = 0;
  std::optional<std::pair<HeldArray*, std::int64_t>> returned_{};  ///< By the last wait_any.
  bool was_polled_ = false;
  PollPause pause_{host_};
  bool is_silent_ = false;  ///< Whether a command had no answer in this look.
  std::optional<double> silent_since_seconds_{};
  std::optional<double> cancelled_at_seconds_{};
};

SlurmCellRunner::SlurmCellRunner(SubmitHost& host, SlurmOptions options)
    : arrays_(std::make_unique<Arrays>(host, std::move(options))) {}

SlurmCellRunner::~SlurmCellRunner() = default;

void SlurmCellRunner::start(const sweep::Cell& cell, const sweep::CellJob& job) {
  arrays_->start(cell, job);
}

sweep::CellResult SlurmCellRunner::wait_any() { return *arrays_->wait_any(std::nullopt); }

std::optional<sweep::CellResult> SlurmCellRunner::wait_any_for(double seconds) {
  return arrays_->wait_any(seconds);
}

sweep::RunnerActivity SlurmCellRunner::activity(std::size_t detailed) {
  return arrays_->activity(detailed);
}

void SlurmCellRunner::finish() { arrays_->finish(); }

bool SlurmCellRunner::interrupted() { return arrays_->interrupted(); }

}  // namespace runahead::slurm
