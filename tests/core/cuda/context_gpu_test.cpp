// In a process that has not used CUDA yet.
#include "core/cuda/context.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cuda/cuda_memory.h"
#include "gpu_fixture.h"

namespace runahead::cuda {
namespace {

class FirstUseOfCuda : public test::GpuTest {
 protected:
  static void read_all(const std::vector<std::unique_ptr<memory::Probe>>& probes) {
    for (const auto& probe : probes) {
      std::vector<memory::Reading> readings(probe->columns().size());
      probe->read(readings);
    }
  }
};

TEST_F(FirstUseOfCuda, IsNotByWhoReadsItsMemory) {
  const auto memory = make_device_memory(device_);
  const auto probes = memory->make_probes();
  ASSERT_FALSE(has_context(0)) << "made with the memory's object";

  for (int i = 0; i < 100; ++i) read_all(probes);
  const Json before = memory->report();
  memory->reset_peaks();
  memory->trim();

  EXPECT_FALSE(has_context(0));
  EXPECT_TRUE(before.at("allocated_bytes").is_null()) << before;

  const torch::Tensor first = torch::ones({1}, on_device());

  EXPECT_TRUE(has_context(0));
  EXPECT_GT(memory->report().at("allocated_bytes").get<std::uint64_t>(), 0U);
}

}  // namespace
}  // namespace runahead::cuda
