#include "core/cuda/nvml.h"

#include <gtest/gtest.h>

namespace runahead::cuda {
namespace nvml_test {

TEST(Nvml, IsNullWhereTheLibraryIsNotThere) {
  EXPECT_EQ(Nvml::open("libno-such-management-library.so.1"), nullptr);
}

TEST(Nvml, IsNullWhereALibraryIsAnotherOne) { EXPECT_EQ(Nvml::open("libm.so.6"), nullptr); }

TEST(Nvml, KnowsNoDeviceOutsideThePciBus) {
  const auto library = Nvml::open();
  if (library == nullptr) GTEST_SKIP() << "no " << Nvml::kLibrary << " on this machine";
  EXPECT_EQ(library->find_device("ffff:ff:1f.7"), nullptr);
}

}  // namespace nvml_test
}  // namespace runahead::cuda
