// Whole runs that work in batches: partial and resumed ones, models of any layout, and the CPUs and
// threads that they give to others.
#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/scratch_folder.h"
#include "core/experiment/small_run.h"
#include "core/record/cell_progress.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using ::testing::Each;

/// Batches of 16 examples in turn with partial ones of 4. A test may see each request for one.
class AlternatingSource final : public train::BatchSource {
 public:
  struct Seen {
    std::function<void(std::int64_t batch)> on_next = [](std::int64_t) {};
    std::vector<std::vector<int>> cpus{};
  };

  AlternatingSource(torch::Device device, Seen& seen) : device_(device), seen_(seen) {}

  train::Batch next() override {
    seen_.on_next(next_);
    const std::int64_t size = next_++ % 2 == 0 ? 16 : 4;
    return {.inputs = torch::ones({size, 4}).to(device_),
            .targets = torch::ones({size, 1}).to(device_)};
  }
  void start_at(std::int64_t batch) override { next_ = batch; }
  void use_cpus(const std::vector<int>& cpus) override { seen_.cpus.push_back(cpus); }

 private:
  torch::Device device_;
  Seen& seen_;
  std::int64_t next_ = 0;
};

class BatchRuns : public SmallRunOnEach {
 protected:
  BatchRuns() {
    config_.warmup_batches = 0;
    factories_.sources["normal"] = [this](const ExperimentConfig&, torch::Device device,
                                          std::unique_ptr<train::Staging>) {
      return std::make_unique<AlternatingSource>(device, seen_);
    };
  }

  ScratchFolder folder_{};
  AlternatingSource::Seen seen_{};
};

TEST_P(BatchRuns, CountTheExamplesOfPartialBatches) {
  for (const char* kind : {"train", "predict"}) {
    config_.experiment = kind;
    const record::Record record = run_well();
    EXPECT_DOUBLE_EQ(*record.time.examples_per_second * *record.time.total_seconds, 3.0 * (16 + 4))
        << kind;
    EXPECT_EQ(record.results.contains("busy_seconds"), config_.device == "acpu");
    EXPECT_LE(record.results.value("busy_seconds", 0.0), *record.time.total_seconds);
  }
}

/// Has outputs (examples, 3) whose memory is that of (3, examples).
class TransposedModel final : public train::Model {
 public:
  torch::Tensor forward(const torch::Tensor& inputs) override {
    return linear_->weight.mm(inputs.t()).t();
  }
  torch::nn::Module& module() override { return *linear_; }

 private:
  torch::nn::Linear linear_{4, 3};
};

TEST_P(BatchRuns, PredictWithAModelWhoseOutputsAreNotContiguous) {
  config_.experiment = "predict";
  config_.sync = {"every_batch"};
  factories_.models["mlp"] = [](const ExperimentConfig&) {
    return std::make_unique<TransposedModel>();
  };
  EXPECT_EQ(run_well().results["predict"]["output_bytes"], 4 * 3 * sizeof(float));
}

TEST_P(BatchRuns, OfAResumedJobAreThoseThatAreLeft) {
  config_.checkpoint = {.is_on = true, .path = (folder_.path() / "new" / "job").string()};
  run_well();
  config_.batches = 10;
  const std::filesystem::path file = folder_.path() / "progress.json";
  std::optional<record::CellProgress> progress;
  const TimePoint deadline = Clock::now() + std::chrono::minutes(1);
  seen_.on_next = [&](std::int64_t batch) {
    while (batch == 9 && (!progress || progress->batches != 4U) && Clock::now() < deadline) {
      progress = record::read_cell_progress(file);
    }
  };
  ExperimentRun run(config_, factories_,
                    {.sink = &sink_, .progress_file = file, .progress_file_seconds = 0.001});
  run.execute();
  const record::Record record = run.finish();

  EXPECT_EQ(record.status, record::Status::kOk) << record.error.value_or("");
  EXPECT_EQ(record.results["cost_model"]["fitted_batches"], 2);
  EXPECT_EQ(record.results["batches_issued"], 4);
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->batches, 4U);
}

TEST_P(BatchRuns, LetTheThreadsOfSourcesUseAllCpusOfTheRun) {
  config_.threads.pin = true;
  config_.program.delay_percent = {0};
  config_.program.repeats = 1;
  const std::vector<int> cpus = allowed_cpus();
  for (const char* kind : {"train", "predict", "data_iter", "front_end"}) {
    SCOPED_TRACE(kind);
    config_.experiment = kind;
    seen_.cpus.clear();
    std::thread([this] { run_well(); }).join();  // It stays pinned.
    EXPECT_FALSE(seen_.cpus.empty());
    EXPECT_THAT(seen_.cpus, Each(cpus));
  }
}

/// Threads per operation at each call of a product by this thread.
std::set<int>& threads_of_products() {
  static std::set<int> threads;
  return threads;
}

std::unique_ptr<at::ObserverContext> note_threads(const at::RecordFunction& function) {
  if (std::string(function.name()) == "aten::mm") {
    threads_of_products().insert(at::get_num_threads());
  }
  return nullptr;
}

TEST_P(BatchRuns, MultiplyOnTheHostWithAsManyThreadsAsTheDevice) {
  config_.experiment = "matmul_loop";
  config_.threads.intra_op = 2;
  config_.program = {.size = 16, .products = 2, .repeats = 1, .warmup_repeats = 0};
  const int before = at::get_num_threads();
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(note_threads));
  threads_of_products().clear();
  run_well();
  at::removeCallback(handle);
  EXPECT_EQ(threads_of_products(), GetParam() == "cpu" ? std::set{2} : (std::set{1, 2}));
  at::set_num_threads(before);
}

RUNAHEAD_RUN_ON_EACH_DEVICE(BatchRuns);

}  // namespace
}  // namespace runahead::experiment
