#include "core/recording/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/memory/sample_series.h"
#include "core/record/record.h"
#include "core/record/record_file.h"

namespace runahead::recording {
namespace {

// As on a disk with room for the record alone.
TEST(RunFolder, StillHasTheRecordIfTheSamplesCannotBeWritten) {
  const ScratchFolder parent;
  const RunFolder folder(parent.path() / "run");
  std::filesystem::create_directory(folder.path() / "samples.csv");

  const memory::SampleSeries samples({"rss_bytes"}, memory::SampleSeries::kMinRows);
  EXPECT_THROW(folder.write({.error = "of the run"}, &samples, Clock::now()), Error);
  EXPECT_EQ(record::read_record(folder.record_path()).error, "of the run");
}

}  // namespace
}  // namespace runahead::recording
