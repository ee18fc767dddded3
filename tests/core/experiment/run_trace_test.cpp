// Traced runs in this process: whatever their end, they leave a trace of what they did until then.
#include "core/experiment/run_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/base/json.h"
#include "core/experiment/small_run.h"
#include "support/temporary_folder.h"

namespace runahead::experiment {
namespace {

using ::testing::ElementsAre;

/// As `data/normal`, but throws instead of making batch number `last` + 1.
class EndingSource final : public train::BatchSource {
 public:
  EndingSource(std::unique_ptr<train::BatchSource> source, int last)
      : source_(std::move(source)), left_(last) {}
  train::Batch next() override {
    if (left_-- == 0) throw std::runtime_error("the source has ended");
    return source_->next();
  }

 private:
  std::unique_ptr<train::BatchSource> source_;
  int left_;
};

class RunTraceTest : public SmallRunOnEach {
 protected:
  RunTraceTest() {
    config_.batches = 3;
    config_.warmup_batches = 1;
  }

  /// Of the batches that the source makes, the warm-up's included.
  void end_after(int batches) {
    factories_.sources["normal"] = [batches](const auto& config, auto device, auto staging) {
      return std::make_unique<EndingSource>(
          data::make_normal_source(config, device, std::move(staging)), batches);
    };
  }

  Json trace_of_run() {
    ExperimentRun run(config_, factories_, {.sink = &sink_, .trace = true});
    run.execute();
    record_ = run.finish();
    run.write_trace(path_);
    return std::filesystem::exists(path_) ? read_json_file(path_) : Json();
  }

  static std::vector<std::string> names_of(const Json& trace, const std::string& category) {
    std::vector<std::string> names;
    for (const Json& event : trace["traceEvents"]) {
      if (event.value("cat", "") == category && event["ph"] == "X") names.push_back(event["name"]);
    }
    return names;
  }

  record::Record record_{};
  test::TemporaryFolder folder_{};
  std::filesystem::path path_ = folder_.path() / "trace.json";
};

TEST_P(RunTraceTest, IsWrittenOfARunThatFails) {
  end_after(3);
  const Json trace = trace_of_run();

  EXPECT_EQ(record_.status, record::Status::kFailed);
  EXPECT_THAT(names_of(trace, "batch"), ElementsAre("batch 1", "batch 2", "batch 3"));
  EXPECT_THAT(names_of(trace, "phase"), ElementsAre("wait", "data", "issue", "wait", "wait", "data",
                                                    "issue", "wait", "wait", "data"));
  EXPECT_TRUE(names_of(trace, "drain").empty());
}

TEST_P(RunTraceTest, IsOfTheWarmUpIfTheRunEndsInIt) {
  config_.warmup_batches = 2;
  end_after(1);
  const Json trace = trace_of_run();

  EXPECT_THAT(names_of(trace, "batch"), ElementsAre("batch 1", "batch 2"));
  EXPECT_NE(trace["otherData"]["time_zero"].get<std::string>().find("warm-up begins"),
            std::string::npos);
}

RUNAHEAD_RUN_ON_EACH_DEVICE(RunTraceTest);

}  // namespace
}  // namespace runahead::experiment
