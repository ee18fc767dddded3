// The monitor in your own program: how much memory did this work use at its peak?
#include <iomanip>
#include <iostream>
#include <memory>
#include <vector>

#include "core/memory/memory_monitor.h"
#include "core/memory/process_probe.h"

using namespace runahead::memory;

int main() {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(std::make_unique<ProcessProbe>());
  MemoryMonitor monitor({.rate_hz = 1000.0}, std::move(probes));

  monitor.start();
  const std::uint64_t before = monitor.latest("rss_bytes").value_or(0);
  for (std::size_t megabytes = 16; megabytes <= 256; megabytes *= 2) {
    const std::vector<char> buffer(megabytes * 1'000'000, 1);
  }
  monitor.stop();

  const std::uint64_t peak = monitor.series().peak("rss_bytes").value_or(0);
  std::cout << std::fixed << std::setprecision(1) << "RSS grew by "
            << static_cast<double>(peak - before) / 1e6 << " MB at its peak; "
            << monitor.stats().samples << " samples\n";
  return peak > before + 200'000'000 ? 0 : 1;
}
