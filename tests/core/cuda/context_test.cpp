#include "core/cuda/context.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/cuda/nvml_probe.h"
#include "core/cuda/peaks.h"

namespace runahead::cuda {
namespace context_test {

constexpr int kMissingDevice = 127;

TEST(CudaContext, IsNotOnADeviceThatIsNotThere) {
  EXPECT_LT(device_count(), kMissingDevice);
  for (const int device : {kMissingDevice, -1}) {
    EXPECT_FALSE(has_context(device)) << device;
    EXPECT_FALSE(ContextScope(device).is_there()) << device;
  }
}

TEST(SampledPeak, IsTheHighestSinceItWasReset) {
  SampledPeak peak;
  EXPECT_EQ(peak.highest(), std::nullopt);

  for (const std::uint64_t reading : {3U, 7U, 5U}) peak.note(reading);
  EXPECT_EQ(peak.highest(), 7U);

  peak.reset();
  EXPECT_EQ(peak.highest(), std::nullopt);
  peak.note(2);
  EXPECT_EQ(peak.highest(), 2U);
}

TEST(NvmlProbe, ReadsNullWithoutADeviceAndNotesNoPeak) {
  const auto peak = std::make_shared<SampledPeak>();
  NvmlProbe probe(find_nvml_device(kMissingDevice), peak);
  std::vector<memory::Reading> readings(probe.columns().size(), memory::Reading(1));

  probe.read(readings);

  EXPECT_EQ(readings, std::vector<memory::Reading>(2));
  EXPECT_EQ(peak->highest(), std::nullopt);
}

}  // namespace context_test
}  // namespace runahead::cuda
