#include "core/recording/run_timeline.h"

#include <gtest/gtest.h>

#include "core/memory/process_probe.h"

namespace runahead::recording {
namespace {

TEST(RunTimeline, HasTheKernelsPeakWithoutAnySample) {
  RunTimeline timeline;
  timeline.take_baseline();
  timeline.start();
  timeline.close(Clock::now());
  record::Record record;
  timeline.report(nullptr, record);

  EXPECT_EQ(record.memory.rss_peak_bytes.has_value(), memory::reset_peak_rss());
}

}  // namespace
}  // namespace runahead::recording
