#include "apps/runahead/monitor_workload.h"

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/memory/memory_monitor.h"
#include "core/memory/process_probe.h"
#include "core/memory/slow_lane.h"

namespace runahead::apps {

namespace {

constexpr double kBytesPerSecond = 5e8;
constexpr std::uint64_t kStepBytes = std::uint64_t{1} << 16;
constexpr std::chrono::milliseconds kPlateauTime{5};
constexpr int kTeeth = 4;
constexpr std::uint64_t kCalibrationRounds = 1'000'000;
constexpr double kShapeRateHz = 1000.0;

/// Work that the compiler cannot shorten and that touches no memory.
void work(std::uint64_t rounds) {
  std::uint64_t state = 1;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(state));
  }
}

/// Runs `body` on one thread per CPU, starting at construction.
class BusyCpus {
 public:
  BusyCpus(const std::vector<int>& cpus, const std::function<void()>& body) {
    threads_.reserve(cpus.size());
    for (const int cpu : cpus) {
      threads_.emplace_back([cpu, body] {
        pin_calling_thread(cpu);
        body();
      });
    }
  }
  void join() { threads_.clear(); }

 private:
  std::vector<std::jthread> threads_;
};

std::unique_ptr<memory::MemoryMonitor> start_monitor(double rate_hz) {
  std::vector<std::unique_ptr<memory::Probe>> probes;
  probes.push_back(std::make_unique<memory::ProcessProbe>());
  probes.push_back(memory::make_slow_lane());
  auto monitor = std::make_unique<memory::MemoryMonitor>(memory::MonitorOptions{.rate_hz = rate_hz},
                                                         std::move(probes));
  monitor->start();
  return monitor;
}

/// Address space that becomes resident step by step.
class Growing {
 public:
  explicit Growing(std::uint64_t bytes)
      : bytes_(bytes),
        data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) throw OutOfMemoryError("bench monitor: no memory for its shapes");
  }
  ~Growing() { ::munmap(data_, bytes_); }
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;

  /// Makes the first `bytes` resident, at kBytesPerSecond.
  void rise_to(std::uint64_t bytes) {
    const TimePoint begun = Clock::now();
    for (std::uint64_t resident = 0; resident < bytes; resident += kStepBytes) {
      std::memset(static_cast<char*>(data_) + resident, 1, kStepBytes);
      const double due = static_cast<double>(resident + kStepBytes) / kBytesPerSecond;
      while (seconds_between(begun, Clock::now()) < due) {
      }
    }
  }
  void jump_to(std::uint64_t bytes) { std::memset(data_, 1, bytes); }
  void fall() { ::madvise(data_, bytes_, MADV_DONTNEED); }

 private:
  std::uint64_t bytes_;
  void* data_;
};

void move_through(MemoryShape shape, std::uint64_t bytes) {
  Growing memory(bytes + kStepBytes);
  switch (shape) {
    case MemoryShape::kRamp:
      return memory.rise_to(bytes);
    case MemoryShape::kPlateau: {
      memory.jump_to(bytes);
      const TimePoint reached = Clock::now();
      while (Clock::now() - reached < kPlateauTime) {
      }
      return;
    }
    case MemoryShape::kSawtooth:
      for (int tooth = 1; tooth <= kTeeth; ++tooth) {
        memory.rise_to(bytes * static_cast<std::uint64_t>(tooth) / kTeeth);
        memory.fall();
      }
      return;
  }
  throw UsageError("move_through: the shape is out of its range");
}

}  // namespace

MonitorWorkload::MonitorWorkload(double seconds) : cpus_(allowed_cpus()) {
  const double begun = thread_cpu_seconds();
  work(kCalibrationRounds);
  const double taken = thread_cpu_seconds() - begun;
  rounds_ = static_cast<std::uint64_t>(seconds / taken * static_cast<double>(kCalibrationRounds));
}

MonitorCost MonitorWorkload::measure(double rate_hz) const {
  const std::unique_ptr<memory::MemoryMonitor> monitor =
      rate_hz > 0.0 ? start_monitor(rate_hz) : nullptr;
  const double cpu_seconds = process_cpu_seconds();
  const TimePoint begun = Clock::now();
  BusyCpus busy(cpus_, [this] { work(rounds_); });
  busy.join();
  MonitorCost cost;
  cost.work_seconds = seconds_between(begun, Clock::now());
  cost.busy_share = (process_cpu_seconds() - cpu_seconds) /
                    (cost.work_seconds * static_cast<double>(cpus_.size()));
  if (monitor == nullptr) return cost;
  monitor->stop();
  const memory::MonitorStats& stats = monitor->stats();
  cost.cpu_share = stats.cpu_seconds / cost.work_seconds;
  cost.missed_share =
      static_cast<double>(stats.missed) / static_cast<double>(stats.samples + stats.missed);
  return cost;
}

std::optional<SampledPeak> MonitorWorkload::sample(MemoryShape shape, std::uint64_t bytes) const {
  if (!memory::reset_peak_rss()) return std::nullopt;
  const std::unique_ptr<memory::MemoryMonitor> monitor = start_monitor(kShapeRateHz);
  std::atomic<bool> is_over{false};
  BusyCpus busy(cpus_, [&is_over] {
    while (!is_over.load(std::memory_order_relaxed)) work(1000);
  });
  move_through(shape, bytes);
  is_over.store(true);
  busy.join();
  monitor->stop();
  const memory::Reading sampled = monitor->series().peak("rss_bytes");
  const memory::Reading counted = memory::peak_rss_bytes();
  if (!sampled || !counted) return std::nullopt;
  return SampledPeak{.sampled_bytes = *sampled, .counted_bytes = *counted};
}

}  // namespace runahead::apps
