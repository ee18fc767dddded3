// A budget in bytes: issuing blocks before the memory that operations in flight have, hold or will
// need exceeds it. Without the budget, this loop would queue hundreds of MB.
#include <torch/torch.h>

#include <iostream>

#include "core/device/device.h"

int main() {
  constexpr std::uint64_t kBudgetBytes = 64'000'000;
  runahead::register_device();
  runahead::device::set_limit({.bytes = kBudgetBytes});
  const torch::Device device("acpu");

  const auto weights = torch::randn({1000, 1000}).to(device);
  runahead::device::synchronize();
  runahead::device::reset_peaks();
  auto sum = torch::zeros({}, device);
  for (int step = 0; step < 100; ++step) {
    const auto fresh = torch::randn({1000, 1000});  // 4 MB on the host
    const auto batch = fresh.to(device, /*non_blocking=*/true);
    sum += torch::relu(batch.mm(weights)).mean();
  }
  std::cout << "sum " << sum.item<double>() << "; ";
  const auto peak = runahead::device::memory_stats().committed_peak_bytes;
  std::cout << "committed bytes reached " << static_cast<double>(peak) / 1e6 << " MB of "
            << static_cast<double>(kBudgetBytes) / 1e6 << " MB\n";
  return peak <= kBudgetBytes ? 0 : 1;
}
