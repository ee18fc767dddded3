#include "core/train/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "core/device/device_fixture.h"
#include "core/engine/operation_error.h"
#include "support/text_file.h"

namespace runahead {
namespace recording_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kBytes = 4 * 4 * 4;  // Of the loop's tensor.

class RecordingTest : public device::DeviceTest {
 protected:
  [[nodiscard]] std::filesystem::path folder() const { return parent_.path() / "mine"; }
  [[nodiscard]] Json record() const {
    return parse_json(test::read_text(folder() / "record.json"), "record");
  }
  /// Records three batches of 8 examples.
  void record_loop(torch::Device device) {
    torch::Tensor x = torch::ones({4, 4}, device);
    Recording recording(device, folder());
    for (int batch = 0; batch < 3; ++batch) {
      x = x.mm(x) / 4;
      recording.batch(8);
    }
    recording.finish();
    recording.finish();
  }
  void issue_failing_operation() const {
    const torch::Tensor out_of_range = torch::full({1}, 7, torch::kLong).to(acpu_);
    static_cast<void>(torch::ones({2, 2}, acpu_).index_select(0, out_of_range));
  }

 private:
  ScratchFolder parent_{};
};

TEST_F(RecordingTest, LeavesARecordSamplesAndATraceOfTheLoop) {
  record_loop(acpu_);

  const Json found = record();
  EXPECT_EQ(found["experiment"], "recording");
  EXPECT_EQ(found["status"], "ok");
  EXPECT_EQ(found["device"], "acpu");
  EXPECT_EQ(found["config"]["acpu"]["workers"], 1);
  EXPECT_EQ(found["time"]["batch_finished_seconds"].size(), 3);
  EXPECT_TRUE(found["time"]["t1_seconds"].is_number());
  EXPECT_GE(found["memory"]["live_peak_bytes"], 2 * kBytes) << "of an operation's input and result";
  EXPECT_GT(found["time"]["examples_per_second"], 0);
  EXPECT_TRUE(std::filesystem::exists(folder() / "samples.csv"));
  EXPECT_NE(test::read_text(folder() / "trace.json").find("aten::mm"), std::string::npos);
}

TEST_F(RecordingTest, OnCpuEachBatchHasFinishedWhenItIsIssued) {
  record_loop(torch::kCPU);

  const Json found = record();
  EXPECT_EQ(found["device"], "cpu");
  EXPECT_EQ(found["time"]["batch_finished_seconds"].size(), 3);
  EXPECT_EQ(found["backlog"]["bytes_peak"], nullptr);
}

TEST_F(RecordingTest, TheErrorOfAnOperationIsInTheRecordAndLeavesFinish) {
  Recording recording(acpu_, folder());
  issue_failing_operation();
  recording.batch();

  EXPECT_THROW(recording.finish(), engine::OperationError);
  EXPECT_EQ(record()["status"], "failed");
  EXPECT_THAT(std::string(record()["error"]), HasSubstr("index_select"));
  EXPECT_THROW(recording.batch(), UsageError);
}

TEST_F(RecordingTest, WithoutACallItFinishesAtTheEndOfItsScope) {
  { Recording(acpu_, folder(), {.traces = false}).batch(); }

  EXPECT_EQ(record()["status"], "ok");
  EXPECT_FALSE(std::filesystem::exists(folder() / "trace.json"));
}

TEST_F(RecordingTest, AnExceptionThatLeavesTheLoopIsAFailure) {
  for (const bool is_of_device : {false, true}) {
    std::filesystem::remove_all(folder());
    try {
      const Recording recording(acpu_, folder());
      if (is_of_device) issue_failing_operation();
      throw std::runtime_error("no more data");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(record()["status"], "failed");
    EXPECT_THAT(std::string(record()["error"]),
                HasSubstr(is_of_device ? "index_select" : "an exception left the loop"));
  }
}

TEST_F(RecordingTest, ALoopMayReportTheErrorThatEndedIt) {
  Recording recording(acpu_, folder());
  recording.fail(std::make_exception_ptr(std::bad_alloc()));

  EXPECT_EQ(record()["status"], "out_of_memory");
}

TEST_F(RecordingTest, AReportedErrorHidesNoFailedOperation) {
  Recording recording(acpu_, folder());
  issue_failing_operation();
  testing::internal::CaptureStderr();
  recording.fail(std::make_exception_ptr(std::runtime_error("no more data")));

  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("index_select"));
  EXPECT_THAT(std::string(record()["error"]),
              AllOf(StartsWith("no more data; before that, "), HasSubstr("index_select")));
}

TEST_F(RecordingTest, AnotherOneOfTheDeviceAndAFolderWithResultsAreRefused) {
  record_loop(acpu_);
  EXPECT_THROW(Recording(acpu_, folder()), ConfigError);

  const auto other = folder() / "other";
  const Recording recording(acpu_, folder() / "first");
  EXPECT_THROW(Recording(acpu_, other), UsageError);
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_THROW(Recording(torch::kCPU, other).batch(-1), UsageError);
}

TEST_F(RecordingTest, DoesNothingInAForkedProcess) {
  Recording recording(torch::kCPU, folder());
  const pid_t child = ::fork();
  if (child == 0) {
    recording.batch(1);
    recording.finish();
    ::_exit(std::filesystem::exists(folder() / "record.json") ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);

  EXPECT_EQ(status, 0);
  recording.finish();
  EXPECT_EQ(record()["time"]["batch_finished_seconds"].size(), 0);
}

}  // namespace recording_test
}  // namespace runahead
