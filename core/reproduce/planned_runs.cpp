#include <utility>

#include "core/reproduce/run_plan.h"

namespace runahead::reproduce {
namespace {

using Texts = std::vector<std::string>;

const Texts kEverywhere{"cpu", "acpu", "cuda"};
const Texts kAcpu{"acpu"};
// The first delay overlaps with nothing: with few batches it would be a large share of the time.
const Texts kFrontEnd{"/batches=32", "/delay_percent=[0,75,100,125,200]"};
const Texts kQuickFrontEnd{"/batches=24", "/model/layers=[1024,512,1]",
                           "/delay_percent=[0,75,125,200]", "/repeats=4"};
constexpr std::int64_t kProcesses = 2;          // To measure memory, which a process measures once.
constexpr std::int64_t kComparedProcesses = 5;  // To compare times, pair by pair.

Texts with(Texts sets, const Texts& others) {
  sets.insert(sets.end(), others.begin(), others.end());
  return sets;
}

/// Batches of the two runs of a pair. Quick runs on cpu compare RSS, where a difference below a
/// megabyte is noise.
struct Batches {
  int few = 10;
  int many = 30;
  int quick_few = 6;
  int quick_many = 30;
};

/// Up to the chapter's number.
constexpr Batches kChapter{.few = 20, .many = 100, .quick_few = 12, .quick_many = 36};

/// For memory that is counted exactly.
constexpr Batches kCounted{.quick_many = 14};

PlannedRun with_batches(PlannedRun run, const std::string& suffix, int batches, int quick_batches) {
  run.name += suffix;
  run.sets.push_back("/batches=" + std::to_string(batches));
  run.quick_sets.push_back("/batches=" + std::to_string(quick_batches));
  return run;
}

/// Adds two runs that differ in their number of batches.
void add_pair(std::vector<PlannedRun>& runs, const PlannedRun& run, Batches batches) {
  runs.push_back(with_batches(run, ".short", batches.few, batches.quick_few));
  runs.push_back(with_batches(run, ".long", batches.many, batches.quick_many));
}

/// Adds such a pair for each of two runs whose short forms a claim compares by time. The short
/// forms are adjacent in the plan and have more processes.
void add_compared_pairs(std::vector<PlannedRun>& runs, const PlannedRun& one,
                        const PlannedRun& other, Batches batches) {
  for (const PlannedRun* run : {&one, &other}) {
    runs.push_back(with_batches(*run, ".short", batches.few, batches.quick_few));
    runs.back().processes = kComparedProcesses;
  }
  for (const PlannedRun* run : {&one, &other}) {
    runs.push_back(with_batches(*run, ".long", batches.many, batches.quick_many));
  }
}

std::vector<PlannedRun> timed_runs() {
  return {
      {.name = "dispatch",
       .config = "jax_dispatch.json",
       .quick_sets = {"/size=500", "/queue/operations=500", "/repeats=5"},
       .cuda_sets = {"/size=8000", "/queue/size=1024", "/queue/operations=4000"},
       .devices = kEverywhere},
      {.name = "matmul_loop",
       .config = "paddle_matmul_loop.json",
       .quick_sets = {"/size=700", "/repeats=3"},
       .cuda_sets = {"/size=8000"},
       .devices = kEverywhere},
      {.name = "graph.1_worker",
       .config = "paddle_graph.json",
       .sets = {"/acpu/workers=1"},
       .quick_sets = {"/schedules=100"},
       .devices = kEverywhere},
      {.name = "graph.2_workers",
       .config = "paddle_graph.json",
       .sets = {"/acpu/workers=2"},
       .quick_sets = {"/schedules=100"},
       .devices = kEverywhere},
      {.name = "queued_finished",
       .config = "mxnet_queued_finished.json",
       .quick_sets = {"/size=1000", "/repeats=5"},
       .cuda_sets = {"/size=8000"},
       .devices = kEverywhere},
      {.name = "sync_functions",
       .config = "mxnet_sync_functions.json",
       .quick_sets = {"/size=1000"},
       .cuda_sets = {"/size=8000"},
       .devices = kEverywhere},
      {.name = "increment.small",
       .config = "mxnet_increment.json",
       .quick_sets = {"/operations=[1000,10000]", "/fitted_operations=[500,2000,5000]",
                      "/repeats=15"},
       .devices = kEverywhere},
      {.name = "increment.large",
       .config = "mxnet_increment_large.json",
       .sets = {"/operations=[50,100]", "/fitted_operations=[15,30,75]"},
       .quick_sets = {"/shape=[700,700]", "/operations=[40]", "/fitted_operations=[10,20,30]"},
       .cuda_sets = {"/shape=[8192,8192]"},
       .devices = {"acpu", "cuda"}},
      {.name = "increment.slow_front_end",
       .config = "mxnet_increment_slow_front_end.json",
       .quick_sets = {"/operations=[1000]", "/repeats=5"},
       .devices = kAcpu},
      {.name = "data_iter",
       .config = "mxnet_data_iter.json",
       .quick_sets = {"/data/batch_size=256", "/repeats=3"},
       .cuda_sets = {"/data/batch_size=65536"},
       .devices = kEverywhere},
      {.name = "exercise",
       .config = "mxnet_exercise.json",
       .quick_sets = {"/elements=[2,4096,16384,262144]", "/increments=500",
                      "/fitted_operations=[50,150]", "/repeats=3"},
       .devices = {"cpu", "acpu"}},
      {.name = "front_end",
       .config = "chapters_front_end.json",
       .sets = kFrontEnd,
       .quick_sets = kQuickFrontEnd,
       .cuda_sets = {"/model/layers=[8192,8192,1]"},
       .devices = kEverywhere},
      {.name = "front_end.python",
       .config = "chapters_front_end.json",
       .sets = kFrontEnd,
       .quick_sets = kQuickFrontEnd,
       .devices = kAcpu,
       .python = {"scripts/tutorials/train_loop.py", "{config}"}},
  };
}

/// @param config  "train" or "predict".
PlannedRun memory_run(const std::string& config, const std::string& name, Texts sets,
                      const Texts& devices) {
  return {.name = config + "." + name,
          .config = "mxnet_" + config + ".json",
          .sets = std::move(sets),
          .quick_sets = {"/data/batch_size=256"},
          .cuda_sets = {"/model/layers=[8192,8192,1]"},
          .devices = devices,
          .processes = kProcesses};
}

void add_training(std::vector<PlannedRun>& runs) {
  const Texts waits{"/sync/policy=every_batch"};
  const Texts on_host{"/data/made=on_host", "/acpu/ready_order=oldest_first"};
  const Texts oldest_first{"/acpu/ready_order=oldest_first"};
  const Texts at_issue{"/acpu/ready_order=oldest_first", "/acpu/allocation=at_issue"};
  add_compared_pairs(runs, memory_run("train", "on_device.none", {}, kEverywhere),
                     memory_run("train", "on_device.every_batch", waits, kEverywhere), kChapter);
  add_pair(runs, memory_run("train", "oldest_first.none", oldest_first, kAcpu), kCounted);
  add_pair(runs, memory_run("train", "at_issue.none", at_issue, kAcpu),
           {.many = 20, .quick_many = 14});
  add_pair(runs, memory_run("train", "on_host.none", on_host, kAcpu), kCounted);
  add_pair(runs, memory_run("train", "on_host.every_batch", with(on_host, waits), kAcpu), kCounted);
}

void add_prediction(std::vector<PlannedRun>& runs) {
  const Texts waits{"/sync/policy=every_batch"};
  const Texts on_device{"/data/made=on_device"};
  const Texts kept{"/outputs=kept", "/model/layers=[2048,512]"};  // Outputs as large as inputs.
  add_pair(runs, memory_run("predict", "dropped.none", {}, kEverywhere), {});
  add_pair(runs, memory_run("predict", "dropped.every_batch", waits, kEverywhere), {});
  add_pair(runs, memory_run("predict", "on_device.none", on_device, kAcpu), kCounted);
  add_pair(runs, memory_run("predict", "kept.none", kept, kEverywhere), {});
  add_pair(runs, memory_run("predict", "kept.every_batch", with(kept, waits), kEverywhere), {});
}

}  // namespace

std::vector<PlannedRun> planned_runs() {
  std::vector<PlannedRun> runs = timed_runs();
  add_training(runs);
  add_prediction(runs);
  return runs;
}

}  // namespace runahead::reproduce
