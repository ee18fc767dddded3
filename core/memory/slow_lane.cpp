#include "core/memory/slow_lane.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/memory/cgroup.h"
#include "core/memory/process_probe.h"

namespace runahead::memory {
namespace {

constexpr double kShortestPauseSeconds = 0.01;

}  // namespace

double slow_lane_pause_seconds(double cost_seconds, double share) noexcept {
  return std::max(kShortestPauseSeconds, cost_seconds / share);
}

void pause_after(double cost_seconds, double share, Ticker& ticker,
                 const std::stop_token& stop) noexcept {
  const std::chrono::duration<double> pause(slow_lane_pause_seconds(cost_seconds, share));
  ticker.wait_until(ticker.now() + std::chrono::duration_cast<Clock::duration>(pause), stop);
}

SlowLane::SlowLane(std::vector<std::unique_ptr<Probe>> probes, double share,
                   std::unique_ptr<Ticker> ticker)
    : probes_(std::move(probes)), share_(share), ticker_(std::move(ticker)) {
  RUNAHEAD_REQUIRE(share > 0.0 && share <= 1.0, "the slow lane's share of a core is in (0, 1]");
  for (const auto& probe : probes_) {
    columns_.insert(columns_.end(), probe->columns().begin(), probe->columns().end());
  }
  newest_.resize(columns_.size());
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

SlowLane::~SlowLane() = default;

void SlowLane::read(std::span<Reading> readings) noexcept {
  std::ranges::fill(readings, std::nullopt);
  // The monitor never waits: if a new reading is just being stored, the next sample has it.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !is_new_) return;
  std::ranges::copy(newest_, readings.begin());
  is_new_ = false;
}

void SlowLane::run(const std::stop_token& stop) noexcept {
  pthread_setname_np(pthread_self(), "slow lane");
  std::vector<Reading> readings(columns_.size());
  while (!stop.stop_requested()) {
    const double cpu_before = thread_cpu_seconds();
    std::span<Reading> rest = readings;
    for (const auto& probe : probes_) {
      const std::size_t count = probe->columns().size();
      probe->read(rest.first(count));
      rest = rest.subspan(count);
    }
    {
      const std::lock_guard lock(mutex_);
      newest_ = readings;
      is_new_ = true;
    }
    pause_after(thread_cpu_seconds() - cpu_before, share_, *ticker_, stop);
  }
}

std::unique_ptr<Probe> make_slow_lane() {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(std::make_unique<ProportionalSetProbe>());
  probes.push_back(std::make_unique<CgroupProbe>());
  return std::make_unique<SlowLane>(std::move(probes));
}

}  // namespace runahead::memory
