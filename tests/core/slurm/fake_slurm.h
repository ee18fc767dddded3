#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/scratch_folder.h"
#include "core/record/record_file.h"
#include "core/slurm/array_files.h"
#include "core/slurm/slurm_cell_runner.h"
#include "core/slurm/submit_host.h"
#include "core/sweep/shard.h"
#include "core/sweep/sweep_fixtures.h"
#include "support/text_file.h"

namespace runahead::slurm::test {

/// A Slurm in memory that answers as the real commands do. Time passes only in `wait`; each wait
/// runs the next of `steps`. A task's shard is a run of `plan`, one run a shard.
class FakeSlurm final : public SubmitHost {
 public:
  FakeSlurm(const sweep::Plan& plan, std::filesystem::path sweep_folder)
      : plan_(plan), sweep_folder_(std::move(sweep_folder)) {}

  struct FakeTask {
    std::string state = "PENDING";
    std::string reason = "Resources";
    std::string exit = "0:0";
  };
  struct FakeArray {
    ArrayFiles files;                          ///< As of the submission.
    std::map<std::int64_t, FakeTask> tasks{};  ///< Those that Slurm remembers.
  };

  CommandOutput call(const std::vector<std::string>& command) override {
    calls.push_back(command);
    if (is_silent) {
      return {.exit_code = 1,
              .err = command.front() + ": error: Unable to contact slurm controller\n"};
    }
    if (command.front() == "sbatch") return sbatch(command.back());
    if (command.front() == "squeue") return squeue(command);
    if (command.front() == "scancel") return scancel(command);
    if (command[1] == "show") return show_config();
    return show_job(command.back());
  }

  void wait(double seconds) override {
    now += seconds;
    if (++waits > 2000) throw std::runtime_error("it waits forever");
    if (steps.empty()) return;
    const std::function<void()> step = std::move(steps.front());
    steps.pop_front();
    step();
  }

  double now_seconds() override { return now; }
  bool interrupted() override { return asked_to_stop; }

  FakeArray& array(const std::string& job) { return arrays.at(job); }

  void set_state(const std::string& job, std::int64_t task, const std::string& state,
                 const std::string& exit = "0:0") {
    array(job).tasks[task] = {.state = state, .reason = "None", .exit = exit};
  }

  void set_all(const std::string& job, const std::string& state) {
    for (auto& [index, task] : array(job).tasks) task = {.state = state, .reason = "None"};
  }

  /// The file of a task's shard.
  std::filesystem::path shard_file(const std::string& job, std::int64_t task) {
    const auto count = static_cast<std::int64_t>(plan_.jobs.size());
    return sweep::shard_records(sweep_folder_, {shard_of(job, task), count});
  }

  /// What a task leaves.
  void leave_record(const std::string& job, std::int64_t task, record::Status status) {
    const sweep::CellJob run = plan_.jobs.at(static_cast<std::size_t>(shard_of(job, task)));
    record::append_jsonl(shard_file(job, task),
                         sweep::test::record_of(plan_.cells[run.cell], run.repeat, status));
  }

  void complete(const std::string& job, std::int64_t task) {
    leave_record(job, task, record::Status::kOk);
    set_state(job, task, "COMPLETED");
  }

  void complete_all(const std::string& job) {
    const auto tasks = static_cast<std::int64_t>(array(job).files.shards.size());
    for (std::int64_t task = 0; task < tasks; ++task) complete(job, task);
  }

  void print(const std::string& job, std::int64_t task, const std::string& text) {
    runahead::test::write_text(array(job).files.output(task), text);
  }

  /// The calls of one command.
  std::vector<std::vector<std::string>> calls_of(const std::string& name) const {
    std::vector<std::vector<std::string>> found;
    for (const auto& command : calls) {
      if (command.front() == name) found.push_back(command);
    }
    return found;
  }

  std::deque<std::function<void()>> steps{};
  std::map<std::string, FakeArray> arrays{};  ///< By job id: "1", "2", …
  std::map<std::string, std::string> id_of_name{};
  std::vector<std::string> scripts{};
  std::vector<std::vector<std::string>> calls{};
  double now = 0.0;
  int waits = 0;
  int max_array_size = 1001;
  int most_submitted = 1001;  ///< It rejects arrays of more tasks.
  std::string rejection{};    ///< What it says to every array, if not empty.
  bool is_silent = false;
  bool obeys_scancel = true;
  bool asked_to_stop = false;

 private:
  std::int64_t shard_of(const std::string& job, std::int64_t task) {
    return array(job).files.shards.at(static_cast<std::size_t>(task));
  }

  static std::string text_between(const std::string& text, const std::string& before,
                                  const std::string& after) {
    const std::size_t start = text.find(before) + before.size();
    return text.substr(start, text.find_first_of(after, start) - start);
  }

  static CommandOutput unknown_job() {
    return {.exit_code = 1, .err = "slurm_load_jobs error: Invalid job id specified\n"};
  }

  CommandOutput sbatch(const std::filesystem::path& path) {
    const std::string script = runahead::test::read_text(path);
    const std::int64_t last = std::stoll(text_between(script, "--array=0-", "%\n"));
    if (!rejection.empty()) return {.exit_code = 1, .err = rejection};
    if (last >= most_submitted) {
      return {.exit_code = 1,
              .err =
                  "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job "
                  "submission failed: Job violates accounting/QOS policy (job submit limit, "
                  "user's size and/or time limits)\n"};
    }
    scripts.push_back(script);
    const std::string job = std::to_string(arrays.size() + 1);
    FakeArray array{.files = *open_array(sweep_folder_)};
    for (std::int64_t task = 0; task <= last; ++task) array.tasks[task] = {};
    arrays.emplace(job, std::move(array));
    id_of_name[text_between(script, "--job-name=", "\n")] = job;
    return {.out = job + "\n"};
  }

  CommandOutput squeue(const std::vector<std::string>& command) {
    std::string job;
    bool is_by_name = false;
    for (const std::string& word : command) {
      if (word.starts_with("--jobs=")) job = word.substr(7);
      if (!word.starts_with("--name=")) continue;
      is_by_name = true;
      const auto found = id_of_name.find(word.substr(7));
      if (found != id_of_name.end()) job = found->second;
    }
    const auto found = arrays.find(job);
    if (is_by_name) return {.out = found == arrays.end() ? "" : job + "\n" + job + "\n"};
    if (found == arrays.end() || found->second.tasks.empty()) return unknown_job();
    std::string lines;
    for (const auto& [index, task] : found->second.tasks) {
      lines =
          job + "_" + std::to_string(index) + "|" + task.state + "|" + task.reason + "\n" + lines;
    }
    return {.out = lines};
  }

  CommandOutput scancel(const std::vector<std::string>& command) {
    if (!obeys_scancel) return {};
    std::map<std::int64_t, FakeTask>& tasks = array(command.at(1)).tasks;
    std::erase_if(tasks, [](const auto& task) { return task.second.state == "PENDING"; });
    for (auto& [index, task] : tasks) {
      if (task.state == "RUNNING") task.state = "CANCELLED";
    }
    return {};
  }

  [[nodiscard]] CommandOutput show_config() const {
    return {.out = "Configuration data as of 2026-11-22T08:00:00\nMaxArraySize            = " +
                   std::to_string(max_array_size) + "\nMaxJobCount             = 10000\n"};
  }

  CommandOutput show_job(const std::string& name) {
    const std::size_t underscore = name.find('_');
    const auto found = arrays.find(name.substr(0, underscore));
    if (found == arrays.end()) return unknown_job();
    const auto task = found->second.tasks.find(std::stoll(name.substr(underscore + 1)));
    if (task == found->second.tasks.end()) return unknown_job();
    return {.out = "JobId=100 ArrayJobId=1 ArrayTaskId=0 JobName=runahead JobState=" +
                   task->second.state + " Reason=" + task->second.reason +
                   " ExitCode=" + task->second.exit + " BatchHost=node1 Command=/x/array.sh\n"};
  }

  const sweep::Plan& plan_;
  std::filesystem::path sweep_folder_;
};

/// A sweep of three cells in a folder of its own, on a fake Slurm.
class RunnerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path sweep_folder() const { return scratch_.path() / "sweep"; }

  [[nodiscard]] SlurmOptions options() const {
    SlurmOptions options;
    options.folder = sweep_folder();
    options.runahead = "/opt/runahead";
    options.cell_program = "/opt/runahead-cell";
    options.sweep = {{"seeds", 3}};
    return options;
  }

  [[nodiscard]] std::unique_ptr<sweep::CellRunner> make_runner(const SlurmOptions& with) {
    return make_slurm_cell_runner({std::shared_ptr<void>(), &slurm_}, with, plan_);
  }
  [[nodiscard]] std::unique_ptr<sweep::CellRunner> make_runner() { return make_runner(options()); }

  /// As a sweep does.
  void start_all(sweep::CellRunner& runner) const {
    for (const sweep::CellJob& job : plan_.jobs) {
      static_cast<void>(runner.interrupted());
      runner.start(plan_.cells[job.cell], job);
    }
  }

  static std::vector<sweep::CellResult> wait_for(sweep::CellRunner& runner, std::size_t count) {
    std::vector<sweep::CellResult> results;
    while (results.size() < count) results.push_back(runner.wait_any());
    runner.finish();  // As a sweep does in the end.
    return results;
  }

  std::vector<sweep::CellResult> wait_for_all(sweep::CellRunner& runner) const {
    return wait_for(runner, plan_.jobs.size());
  }

  /// A whole sweep.
  std::vector<sweep::CellResult> run_all(const SlurmOptions& with) {
    const auto runner = make_runner(with);
    start_all(*runner);
    return wait_for_all(*runner);
  }
  std::vector<sweep::CellResult> run_all() { return run_all(options()); }

  /// In the order of the results.
  static std::vector<record::Status> statuses_of(const std::vector<sweep::CellResult>& results) {
    std::vector<record::Status> statuses;
    for (const sweep::CellResult& result : results) statuses.push_back(result.record.status);
    return statuses;
  }

  static record::Status status_of_cell(const std::vector<sweep::CellResult>& results,
                                       std::size_t cell) {
    const auto found = std::find_if(results.begin(), results.end(),
                                    [&](const auto& result) { return result.job.cell == cell; });
    EXPECT_NE(found, results.end());
    return found->record.status;
  }

  /// A step each, as long as the array `job` is not there, then completes it.
  void complete_once_submitted(const std::string& job) {
    slurm_.steps.assign(20, [this, job] {
      if (slurm_.arrays.contains(job) && !slurm_.arrays.at(job).tasks.empty() &&
          slurm_.arrays.at(job).tasks.begin()->second.state == "PENDING") {
        slurm_.complete_all(job);
      }
    });
  }

  ScratchFolder scratch_;
  const sweep::Plan plan_ = sweep::test::plan_of_seeds(3, 1);
  FakeSlurm slurm_{plan_, sweep_folder()};
};

}  // namespace runahead::slurm::test
