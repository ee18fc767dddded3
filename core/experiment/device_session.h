#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/engine/observer_list.h"
#include "core/engine/run_ahead_limit.h"
#include "core/experiment/factories.h"
#include "core/experiment/thread_placement.h"
#include "core/memory/probe.h"
#include "core/record/record.h"
#include "core/train/back_end.h"
#include "core/train/busy_meter.h"
#include "core/train/device_memory.h"
#include "core/train/policies/adaptive_depth.h"
#include "core/train/policies/adaptive_window.h"

namespace runahead::experiment {

/// The device of one run: configures it, waits for it and reads its counters. On `acpu` there is at
/// most one session at a time, because the whole process shares the device.
class DeviceSession {
 public:
  /// Finds the device, registering `acpu` if that is the one, without configuring it.
  /// @param factories  Only device_memory and cuda_problem are used.
  /// @throws UnavailableError if the device is not on this machine or cannot be used; the message
  ///         lists what was found. ConfigError for settings that the device does not support.
  explicit DeviceSession(const config::ExperimentConfig& config, const Factories& factories = {});

  /// Waits for what is in flight and restores the default settings of `acpu`; never throws.
  ~DeviceSession();
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;

  /// Applies the config's settings. Call it once, on the front end's thread.
  /// @param memory_limit_bytes  Memory that the whole process may use, which bounds the guard;
  ///        nullopt: unknown.
  /// @param observers  Observe every operation and outlive this object; none is null.
  void configure(const ThreadPlacement& placement, std::optional<std::uint64_t> memory_limit_bytes,
                 std::vector<engine::Observer*> observers = {});

  [[nodiscard]] torch::Device device() const noexcept { return device_; }
  [[nodiscard]] train::BackEnd& back_end() noexcept { return *back_end_; }
  /// Whether an operation has finished when its call returns, as on `cpu` and on `acpu` without
  /// workers.
  [[nodiscard]] bool executes_at_issue() const noexcept;
  /// Number of threads that execute operations visible to an observer: the workers of `acpu`, or 1
  /// for the front end if there are none; 0 on other devices.
  [[nodiscard]] int executors() const noexcept;
  /// Whether reading a tensor waits only for that tensor; on `cuda` it waits for all issued work.
  [[nodiscard]] bool reads_wait_alone() const noexcept { return !device_.is_cuda(); }
  /// Sets the function that describes the program's position, such as "in batch 7", for notices
  /// about the run-ahead limit. It may be called on any thread that issues. Everything it refers to
  /// must live until `place` is replaced. It may be empty.
  void set_place(std::function<std::string()> place);
  /// Logs a notice from the sync policy `budget` and keeps it for the record. Any thread.
  void notice_budget(const std::string& text);
  /// Moves a module created on `cpu` to the device. Call it before the first backward pass.
  void place(torch::nn::Module& module) const;

  /// Sets every peak to the present value and forgets what was counted. Nothing may be in flight.
  void reset_counters();

  /// Returns memory that no tensor uses to the system: from the heap, and from what the device's
  /// allocators keep for reuse. Nothing may be in flight.
  void trim_memory() const;

  /// Time the back end spent executing between reset_counters() and `until`; nullopt if unknown.
  /// Any thread.
  [[nodiscard]] std::optional<double> busy_seconds(TimePoint until) const;

  /// How long the front end has waited for the device so far; 0 if unknown. See BusyMeter.
  [[nodiscard]] double waited_seconds() const { return busy_meter_.waited_seconds(); }

  /// What a sync policy on this device waits and chooses with. `sink` and this object must outlive
  /// the result.
  [[nodiscard]] train::PolicyContext policy_context(std::ostream& sink, train::Notice on_notice);

  /// The bound on committed bytes, where committed bytes are the sum of all claimed bytes. nullopt
  /// if there is no bound, or if it bounds a predicted high-water mark. After configure().
  [[nodiscard]] std::optional<std::uint64_t> claimed_limit_bytes() const;

  /// Operations in flight now; nullopt if unknown. Any thread.
  [[nodiscard]] std::optional<std::uint64_t> operations_in_flight() const;
  /// Live bytes now; nullopt if unknown. Any thread.
  [[nodiscard]] std::optional<std::uint64_t> live_bytes() const;

  /// Probes of the device's own counters; may be empty.
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const;

  /// Fills in what the device counts: memory.*_peak_bytes, backlog.operations_peak,
  /// backlog.blocking_operators, and backlog.bytes_peak as the peak of all claimed bytes. Also
  /// results.limit_bytes, the bound on committed bytes; results.limit_notices, the notices about
  /// it; results.occupied_peak_bytes, the peak of live bytes plus queued inputs; results.adaptive,
  /// the choices of that policy; and memory.cuda for a device with memory of its own. Any thread.
  void report(record::Record& record) const;

 private:
  [[nodiscard]] int workers() const noexcept;
  void notice_limit(const engine::LimitNotice& notice);
  void keep_notice(const std::string& text);  ///< The caller holds mutex_.
  [[nodiscard]] engine::RunAheadLimit find_limit(
      std::optional<std::uint64_t> memory_limit_bytes) const;
  [[nodiscard]] engine::RunAheadLimit run_ahead_limit() const;
  [[nodiscard]] Json adaptive_choices() const;

  config::ExperimentConfig config_;
  torch::Device device_;
  std::unique_ptr<train::BackEnd> back_end_;
  std::unique_ptr<train::DeviceMemory> device_memory_;  ///< Null: the device has none of its own.
  train::BusyMeter busy_meter_{};
  std::unique_ptr<train::AdaptiveDepth> adaptive_depth_{};
  std::unique_ptr<train::AdaptiveWindow> adaptive_window_{};
  std::optional<engine::ObserverList> observers_{};  ///< Observe the engine.
  engine::RunAheadLimit limit_{};
  mutable std::mutex mutex_{};
  std::function<std::string()> place_{};      ///< Guarded by mutex_.
  std::vector<std::string> limit_notices_{};  ///< Guarded by mutex_.
};

}  // namespace runahead::experiment
