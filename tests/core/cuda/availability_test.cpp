#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>

#include "core/cuda/availability.h"
#include "core/cuda/nvml.h"

namespace runahead::cuda {
namespace availability_test {

constexpr int kMissingDevice = 127;

TEST(Availability, SaysWhyThereIsNoDeviceAndNothingElse) {
  const Availability found = availability();

  EXPECT_GE(found.devices, 0);
  EXPECT_EQ(found.problem.empty(), found.devices > 0) << found.problem;
  EXPECT_FALSE(found.problem.ends_with(".")) << found.problem;
}

TEST(Availability, VersionsAreWrittenAsCudaWritesThem) {
  EXPECT_EQ(version_text(13000), "13.0");
  EXPECT_EQ(version_text(12080), "12.8");
}

TEST(Availability, ADeviceThatIsNotThereHasNoNameAndNoProbe) {
  EXPECT_EQ(device_name(kMissingDevice), std::nullopt);
  EXPECT_EQ(device_name(-1), std::nullopt);
  const Json none = {{"cuda_memory", false},
                     {"allocator", false},
                     {"pinned_memory", false},
                     {"pool", false},
                     {"nvml", false}};
  EXPECT_EQ(probe_availability(kMissingDevice), none);
  EXPECT_EQ(probe_availability(-1), none);
}

TEST(Availability, DescribesEachDeviceByItsName) {
  const Json devices = describe_devices();

  ASSERT_EQ(devices.size(), static_cast<std::size_t>(availability().devices));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_EQ(devices[i].at("device").get<std::string>(), "cuda:" + std::to_string(i));
    EXPECT_EQ(devices[i].at("name").get<std::string>(), device_name(static_cast<int>(i)));
    EXPECT_EQ(devices[i].at("probes"), probe_availability(static_cast<int>(i)));
  }
}

TEST(Nvml, IsNullWhereTheLibraryIsNotThere) {
  EXPECT_EQ(Nvml::open("libno-such-management-library.so.1"), nullptr);
}

TEST(Nvml, IsNullWhereALibraryIsAnotherOne) { EXPECT_EQ(Nvml::open("libm.so.6"), nullptr); }

TEST(Nvml, KnowsNoDeviceOutsideThePciBus) {
  const auto library = Nvml::open();
  if (library == nullptr) GTEST_SKIP() << "no " << Nvml::kLibrary << " on this machine";
  EXPECT_EQ(library->find_device("ffff:ff:1f.7"), nullptr);
}

}  // namespace availability_test
}  // namespace runahead::cuda
