#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <latch>
#include <optional>
#include <sstream>
#include <thread>

#include "core/base/clock.h"
#include "core/experiment/progress.h"
#include "core/experiment/small_run.h"
#include "core/record/cell_progress.h"
#include "support/temporary_folder.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;

const record::CellProgress kHalfWay{.batches = 60,
                                    .batches_issued = 60,
                                    .batches_finished = 30,
                                    .operations_in_flight = 780,
                                    .rss_bytes = 512'000'000,
                                    .live_bytes = 37'800'000};

/// Characters of UTF-8 text without escape sequences.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char character) { return (character & 0xC0) != 0x80; }));
}

TEST(Progress, IsBarsAndWhatIsInFlight) {
  EXPECT_EQ(progress_lines(kHalfWay, 60, false),
            (std::vector<std::string>{"issued ██████████████ 60/60  finished ███████░░░░░░░ 30/60",
                                      "30 batches (780 operations) in flight, RSS 512 MB, live "
                                      "37."}));
}

TEST(Progress, ColoursTheBarsAlone) {
  EXPECT_EQ(progress_lines(kHalfWay, 60, true).front(),
            "issued \033[36m██████████████\033[0m 60/60  finished \033[32m███████░░░░░░░\033[0m "
            "30/60");
}

TEST(Progress, NeverReachesTheLastColumn) {
  for (std::size_t columns = 0; columns <= 200; ++columns) {
    for (const std::string& line : progress_lines(kHalfWay, columns, false)) {
      EXPECT_LE(width_of(line), columns == 0 ? 0 : columns - 1) << line;
    }
  }
}

TEST(Progress, IsOnePlainLineForALog) {
  EXPECT_EQ(progress_line(kHalfWay),
            "issued 60/60, finished 30/60, 30 batches (780 operations) in flight, RSS 512 MB, live "
            "37.8 MB");
}

constexpr record::CellProgress kProgress{.batches = 3, .batches_issued = 2, .batches_finished = 1};

/// What a view writes until it was asked for its progress `frames` times, and at its end.
std::string shown(ProgressOutput output, std::ptrdiff_t frames) {
  std::ostringstream out;
  output.out = &out;
  std::latch asked{frames};
  {
    const std::jthread view = start_progress_view(output, [&] {
      if (!asked.try_wait()) asked.count_down();
      return kProgress;
    });
    asked.wait();
  }
  return out.str();
}

TEST(ProgressView, ChangesItsLinesInPlaceAndClearsThemAtTheEnd) {
  const std::string text = shown({.columns = [] { return 30; }}, 2);

  const std::string frame = "issued 2/3  finished 1/3\n1 batch in flight";
  EXPECT_EQ(text.rfind("\r\033[J" + frame + "\r\033[A\r\033[J" + frame, 0), 0) << text;
  EXPECT_TRUE(text.ends_with(frame + "\r\033[A\r\033[J")) << text;
}

// The progress that a run reports to its parent.

/// An MLP whose fourth forward goes on when the run has reported its progress.
class AttentiveModel final : public train::Model {
 public:
  AttentiveModel(const ExperimentConfig& config, std::filesystem::path path,
                 std::optional<record::CellProgress>& reported)
      : mlp_(config.model, config.data.features, config.seed),
        path_(std::move(path)),
        reported_(reported) {}

  torch::Tensor forward(const torch::Tensor& inputs) override {
    const TimePoint patience_end = Clock::now() + std::chrono::seconds(30);
    const bool waits = ++forwards_ == 4;
    while (waits && !(reported_ && reported_->batches) && Clock::now() < patience_end) {
      reported_ = record::read_cell_progress(path_);
    }
    return mlp_.forward(inputs);
  }
  torch::nn::Module& module() override { return mlp_.module(); }

 private:
  models::Mlp mlp_;
  std::filesystem::path path_;
  std::optional<record::CellProgress>& reported_;
  int forwards_ = 0;
};

class ProgressFile : public SmallRunOnEach {};

TEST_P(ProgressFile, ReportsTheBatchesAlsoWithoutAMonitor) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / record::kCellProgressName;
  std::optional<record::CellProgress> reported;
  config_.monitor.rate_hz = 0.0;
  factories_.models["mlp"] = [&](const ExperimentConfig& resolved) {
    return std::make_unique<AttentiveModel>(resolved, path, reported);
  };
  ExperimentRun run(config_, factories_,
                    {.sink = &sink_, .progress_file = path, .progress_file_seconds = 0.01});
  run.execute();

  EXPECT_EQ(run.finish().status, record::Status::kOk);
  ASSERT_TRUE(reported.has_value());
  EXPECT_EQ(reported->batches, 6U);
  EXPECT_LE(reported->batches_issued, 3U);
  EXPECT_LE(reported->batches_finished, reported->batches_issued);
  EXPECT_GT(reported->rss_bytes, 0U);
}

RUNAHEAD_RUN_ON_EACH_DEVICE(ProgressFile);

}  // namespace
}  // namespace runahead::experiment
