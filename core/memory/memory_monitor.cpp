#include "core/memory/memory_monitor.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/memory/probe.h"

namespace runahead::memory {
namespace {

std::vector<Column> collect_columns(const std::vector<std::unique_ptr<Probe>>& probes) {
  std::vector<Column> columns;
  for (const auto& probe : probes) {
    RUNAHEAD_REQUIRE(probe != nullptr, "a probe of the monitor is null");
    columns.insert(columns.end(), probe->columns().begin(), probe->columns().end());
  }
  const std::vector<std::string> names = names_of(columns);
  const std::set<std::string> distinct(names.begin(), names.end());
  RUNAHEAD_REQUIRE(distinct.size() == names.size(), "two probes have a column of the same name");
  return columns;
}

const std::vector<Column>& append(const std::vector<Column>& more, std::vector<Column>& columns) {
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

/// A monitor that may not use the CPUs it was given still measures.
void restrict_if_possible(const std::vector<int>& cpus) noexcept {
  if (cpus.empty()) return;
  try {
    restrict_calling_thread(cpus);
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

/// Lets the calling thread run as soon as it wakes, even if every CPU is busy, if the system grants
/// that (to root, and within RLIMIT_RTPRIO): as long as it then works for a few µs at a time.
class Precedence {
 public:
  Precedence() noexcept {
    const sched_param lowest{.sched_priority = 1};
    has_it_ = pthread_setschedparam(pthread_self(), SCHED_RR, &lowest) == 0;
  }

  /// Gives it up if the samples of a second took much of it.
  void note_sample(TimePoint start, TimePoint end) noexcept {
    constexpr Clock::duration kWindow = std::chrono::seconds(1);
    constexpr int kMostShare = 10;  ///< Of a core: one in ten.
    if (!has_it_) return;
    busy_ += end - start;
    if (end - window_start_ < kWindow) return;
    if (busy_ * kMostShare > end - window_start_) {
      const sched_param none{.sched_priority = 0};
      has_it_ = pthread_setschedparam(pthread_self(), SCHED_OTHER, &none) != 0;
    }
    window_start_ = end;
    busy_ = {};
  }

 private:
  bool has_it_ = false;
  TimePoint window_start_{};
  Clock::duration busy_{};
};

}  // namespace

MemoryMonitor::MemoryMonitor(const MonitorOptions& options,
                             std::vector<std::unique_ptr<Probe>> probes,
                             std::unique_ptr<Ticker> ticker)
    : options_(options),
      probes_(std::move(probes)),
      ticker_(std::move(ticker)),
      described_columns_(collect_columns(probes_)),
      attributor_(described_columns_),
      series_(names_of(append(attributor_.columns(), described_columns_)), options.max_rows),
      readings_(series_.columns().size()) {
  RUNAHEAD_REQUIRE(options.rate_hz >= MonitorOptions::kLeastRateHz &&
                       options.rate_hz <= MonitorOptions::kMostRateHz,
                   "the monitor's rate is between 0.001 and 10000 Hz");
  RUNAHEAD_REQUIRE(ticker_ != nullptr, "the monitor has no ticker");
}

MemoryMonitor::~MemoryMonitor() { stop(); }

void MemoryMonitor::start() {
  RUNAHEAD_REQUIRE(!thread_.joinable() && !is_stopped_, "a monitor is started once");
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  first_sample_taken_.wait();
}

void MemoryMonitor::stop() noexcept {
  is_stopped_ = true;
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

const std::vector<std::string>& MemoryMonitor::columns() const noexcept {
  return series_.columns();
}

std::optional<Sample> MemoryMonitor::latest() const {
  const std::lock_guard lock(latest_mutex_);
  return latest_;
}

Reading MemoryMonitor::latest(std::string_view column) const {
  const auto place = find_column(columns(), column);
  if (!place) return std::nullopt;
  const std::lock_guard lock(latest_mutex_);
  return latest_ ? latest_->readings[*place] : std::nullopt;
}

const SampleSeries& MemoryMonitor::series() const {
  RUNAHEAD_REQUIRE(is_stopped_, "the samples can be read once the monitor is stopped");
  return series_;
}

const MonitorStats& MemoryMonitor::stats() const {
  RUNAHEAD_REQUIRE(is_stopped_, "the monitor's figures can be read once it is stopped");
  return stats_;
}

const std::optional<Attribution>& MemoryMonitor::peak_attribution() const {
  RUNAHEAD_REQUIRE(is_stopped_, "the samples can be read once the monitor is stopped");
  return attributor_.peak();
}

void MemoryMonitor::run(const std::stop_token& stop) noexcept {
  pthread_setname_np(pthread_self(), "monitor");
  restrict_if_possible(options_.cpus);
  Precedence precedence;
  const Clock::duration period = duration_of(1.0 / options_.rate_hz);

  TimePoint deadline = ticker_->now();
  take_sample(deadline);
  first_sample_taken_.count_down();
  while (!stop.stop_requested()) {
    deadline += period;
    ticker_->wait_until(deadline, stop);
    const TimePoint time = ticker_->now();
    take_sample(time);
    precedence.note_sample(time, ticker_->now());
    if (time < deadline) continue;
    jitter_.add(seconds_between(deadline, time));
    const auto passed = (time - deadline) / period;
    stats_.missed += static_cast<std::uint64_t>(passed);
    deadline += passed * period;
  }
  stats_.jitter_p99_seconds = jitter_.percentile(99.0);
  stats_.cpu_seconds = thread_cpu_seconds();
  for (const auto& probe : probes_) stats_.slow_lane_cpu_seconds += probe->own_cpu_seconds();
}

void MemoryMonitor::take_sample(TimePoint time) noexcept {
  std::span<Reading> rest = readings_;
  for (const auto& probe : probes_) {
    const std::size_t count = probe->columns().size();
    probe->read(rest.first(count));
    rest = rest.subspan(count);
  }
  attributor_.add(time, readings_, rest);
  series_.append(time, readings_);
  ++stats_.samples;
  publish(time);
}

void MemoryMonitor::publish(TimePoint time) noexcept {
  if (stats_.samples == 1) {
    const std::lock_guard lock(latest_mutex_);
    latest_ = Sample{time, readings_};
    return;
  }
  // A reader that holds the lock may have been preempted: skip this sample, the next one will do.
  const std::unique_lock lock(latest_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  latest_->time = time;
  std::ranges::copy(readings_, latest_->readings.begin());
}

}  // namespace runahead::memory
