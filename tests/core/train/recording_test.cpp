#include "core/train/recording.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/device/device_fixture.h"
#include "core/engine/operation_error.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead {
namespace recording_test {

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

 private:
  test::TemporaryFolder parent_{};
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
  EXPECT_FALSE(found["memory"]["live_peak_bytes"].is_null());
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
  const torch::Tensor out_of_range = torch::full({1}, 7, torch::kLong).to(acpu_);
  Recording recording(acpu_, folder());
  const torch::Tensor row = torch::ones({2, 2}, acpu_).index_select(0, out_of_range);
  recording.batch();

  EXPECT_THROW(recording.finish(), engine::OperationError);
  EXPECT_EQ(record()["status"], "failed");
  EXPECT_NE(record()["error"].get<std::string>().find("index_select"), std::string::npos);
  EXPECT_THROW(recording.batch(), UsageError);
}

TEST_F(RecordingTest, AnExceptionThatLeavesTheLoopIsAFailure) {
  try {
    Recording recording(acpu_, folder());
    recording.batch(8);
    throw std::runtime_error("no more data");
  } catch (const std::runtime_error&) {
  }

  EXPECT_EQ(record()["status"], "failed");
  EXPECT_EQ(record()["error"], "an exception left the loop");
}

TEST_F(RecordingTest, AFolderWithResultsIsRefused) {
  record_loop(acpu_);
  EXPECT_THROW(Recording(acpu_, folder()), ConfigError);
}

}  // namespace recording_test
}  // namespace runahead
