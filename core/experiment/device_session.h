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
  /// Finds the device (registering `acpu` if it is that) without configuring it.
  /// @param factories  Of these, what makes the device's memory, and why CUDA cannot be used.
  /// @throws UnavailableError if it is not on this machine, or cannot be used, with what was found;
  ///         ConfigError for settings that the device cannot hold.
  explicit DeviceSession(const config::ExperimentConfig& config, const Factories& factories = {});

  /// Waits for what is in flight and gives `acpu` back with its default settings; never throws.
  ~DeviceSession();
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;

  /// Applies the config's settings. @param memory_limit_bytes  What the whole process may take: it
  /// bounds the guard; nullopt: unknown. @param observers  See every operation, and outlive
  /// this object; none is null. To be called once, on the front end's thread.
  void configure(const ThreadPlacement& placement, std::optional<std::uint64_t> memory_limit_bytes,
                 std::vector<engine::Observer*> observers = {});

  [[nodiscard]] torch::Device device() const noexcept { return device_; }
  [[nodiscard]] train::BackEnd& back_end() noexcept { return *back_end_; }
  /// Whether an operation has finished when its call returns: `cpu`, and `acpu` without workers.
  [[nodiscard]] bool executes_at_issue() const noexcept;
  /// Threads that execute operations that an observer sees: the workers of `acpu`, or the
  /// front end in their place; 0 elsewhere.
  [[nodiscard]] int executors() const noexcept;
  /// Whether reading a tensor waits for that tensor alone; else for all that was issued (`cuda`).
  [[nodiscard]] bool reads_wait_alone() const noexcept { return !device_.is_cuda(); }
  /// `place` says where the program is, as "in batch 7", for a notice about the run-ahead limit. It
  /// is called on any thread that issues. What it uses must live until `place` is replaced. It may
  /// be empty.
  void set_place(std::function<std::string()> place);
  /// Logs what the sync policy `budget` has to say of itself, and keeps it for the record; any
  /// thread.
  void notice_budget(const std::string& text);
  /// Moves a module that was made on `cpu` to the device; before its first backward.
  void place(torch::nn::Module& module) const;

  /// Sets every peak to the present value and forgets what was counted. Nothing may be in flight.
  void reset_counters();

  /// Returns memory that no tensor has to the system: the heap's and what the device's allocators
  /// keep for reuse. Nothing may be in flight.
  void trim_memory() const;

  /// Time in which the back end was executing, from reset_counters() until then; nullopt if that is
  /// not known. Any thread.
  [[nodiscard]] std::optional<double> busy_seconds(TimePoint until) const;

  /// How long the front end has waited for the device so far; 0 if that is unknown. See BusyMeter.
  [[nodiscard]] double waited_seconds() const { return busy_meter_.waited_seconds(); }
  /// Leaves out the calling thread's waits from now on: it prepares batches, and issues no step.
  void leave_out_waits_of_this_thread() { busy_meter_.leave_out_waits_of_this_thread(); }

  /// What the sync policy waits and chooses with here. `sink` must outlive it, as this object must.
  [[nodiscard]] train::PolicyContext policy_context(std::ostream& sink, train::Notice on_notice);

  /// The bound on committed bytes in force, if committed bytes are the sum of all claimed bytes.
  /// nullopt: there is none, or it bounds a predicted high-water mark. After configure().
  [[nodiscard]] std::optional<std::uint64_t> claimed_limit_bytes() const;

  /// Operations in flight now; nullopt if that is unknown. Any thread.
  [[nodiscard]] std::optional<std::uint64_t> operations_in_flight() const;
  /// The same of the live bytes.
  [[nodiscard]] std::optional<std::uint64_t> live_bytes() const;

  /// Probes of the device's own counters; may be none.
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const;

  /// Fills in what the device counts: memory.*_peak_bytes, backlog.operations_peak,
  /// backlog.blocking_operators, and backlog.bytes_peak as the peak of all claimed bytes; and
  /// results.limit_bytes, the bound on committed bytes that held, results.limit_notices, what was
  /// said of it, results.occupied_peak_bytes, the most that live bytes and queued inputs were at
  /// once, and results.adaptive, what that policy chose; memory.cuda of a device that has memory of
  /// its own. Any thread.
  void report(record::Record& record) const;

 private:
  [[nodiscard]] int workers() const noexcept;
  void notice_limit(const engine::LimitNotice& notice);
  void keep_notice(const std::string& text);  ///< With mutex_ held.
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
  std::optional<engine::ObserverList> observers_{};  ///< Of the engine.
  engine::RunAheadLimit limit_{};
  mutable std::mutex mutex_{};
  std::function<std::string()> place_{};      ///< Guarded by mutex_.
  std::vector<std::string> limit_notices_{};  ///< Likewise.
};

}  // namespace runahead::experiment
