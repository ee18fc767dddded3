#include "core/memory/slow_lane.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/memory/cgroup.h"
#include "core/memory/heap.h"
#include "core/memory/process_probe.h"

namespace runahead::memory {
namespace {

constexpr double kShortestPauseSeconds = 0.01;

Clock::duration pause_of(double cost_seconds, double share) noexcept {
  return duration_of(std::max(kShortestPauseSeconds, cost_seconds / share));
}

}  // namespace

void pause_after(double cost_seconds, double share, Ticker& ticker,
                 const std::stop_token& stop) noexcept {
  ticker.wait_until(ticker.now() + pause_of(cost_seconds, share), stop);
}

SlowLane::SlowLane(std::vector<std::unique_ptr<Probe>> probes, double share,
                   std::unique_ptr<Ticker> ticker)
    : share_of_each_(share / static_cast<double>(std::max<std::size_t>(probes.size(), 1))),
      ticker_(std::move(ticker)) {
  RUNAHEAD_REQUIRE(share > 0.0 && share <= 1.0, "the slow lane's share of a core is in (0, 1]");
  for (auto& probe : probes) {
    const std::vector<Column>& columns = probe->columns();
    lanes_.push_back({.probe = std::move(probe), .first_column = columns_.size()});
    columns_.insert(columns_.end(), columns.begin(), columns.end());
  }
  newest_.resize(columns_.size());
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

SlowLane::~SlowLane() = default;

void SlowLane::read(std::span<Reading> readings) noexcept {
  std::ranges::fill(readings, std::nullopt);
  // The monitor never waits: if a new reading is just being stored, the next sample gets it.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  for (Lane& lane : lanes_) {
    if (!std::exchange(lane.is_new, false)) continue;
    const std::size_t count = lane.probe->columns().size();
    std::copy_n(&newest_[lane.first_column], count, &readings[lane.first_column]);
  }
}

void SlowLane::run(const std::stop_token& stop) noexcept {
  pthread_setname_np(pthread_self(), "slow lane");
  std::vector<Reading> scratch(columns_.size());
  while (!stop.stop_requested()) {
    TimePoint next = ticker_->now() + std::chrono::seconds(1);
    for (Lane& lane : lanes_) {
      read_if_due(lane, scratch);
      next = std::min(next, lane.due);
    }
    cpu_seconds_.store(thread_cpu_seconds(), std::memory_order_relaxed);
    ticker_->wait_until(next, stop);
  }
}

void SlowLane::read_if_due(Lane& lane, std::span<Reading> scratch) noexcept {
  // Lanes that are due at about the same time share a wake-up.
  if (ticker_->now() + pause_of(0.0, share_of_each_) / 2 < lane.due) return;
  const double cpu_before = thread_cpu_seconds();
  const std::span<Reading> readings = scratch.first(lane.probe->columns().size());
  lane.probe->read(readings);
  {
    const std::lock_guard lock(mutex_);
    std::ranges::copy(readings, &newest_[lane.first_column]);
    lane.is_new = true;
  }
  lane.due = ticker_->now() + pause_of(thread_cpu_seconds() - cpu_before, share_of_each_);
}

std::unique_ptr<Probe> make_slow_lane(double share) {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(make_proportional_set_probe());
  probes.push_back(make_process_status_probe());
  probes.push_back(make_heap_probe());
  probes.push_back(make_cgroup_probe());
  return std::make_unique<SlowLane>(std::move(probes), share);
}

}  // namespace runahead::memory
