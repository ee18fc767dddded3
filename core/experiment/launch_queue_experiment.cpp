#include <ATen/ops/ones.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/experiment/launch_queue_depth.h"
#include "core/experiment/timed_program.h"
#include "core/train/device_hold.h"

namespace runahead::experiment {
namespace {

train::DeviceHold make_hold(const ExperimentContext& context) {
  const std::string found = "/experiment: 'launch_queue' on device '" + context.config.device + "'";
  if (context.device.executes_at_issue()) {
    throw UnavailableError(found +
                           ": there each operation runs when it is issued, and nothing is "
                           "queued; use cuda, or acpu with workers");
  }
  const auto& factory = context.factories.device_hold;
  train::DeviceHold hold = factory ? factory(context.device.device()) : nullptr;
  if (!hold) throw UnavailableError(found + ": nothing here can hold that device; use acpu");
  return hold;
}

/// Bytes of tensors, including freed ones that the device has not finished using.
std::uint64_t active_bytes(torch::Device device) {
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  return static_cast<std::uint64_t>(stats.active_bytes[kAll].current);
}

/// The device of a run, whose launches are y = x + 1.
class DeviceOfRun final : public HeldDevice {
 public:
  DeviceOfRun(DeviceSession& session, const train::DeviceHold& hold, torch::Tensor x,
              bool keeps_outputs)
      : session_(session), hold_(hold), x_(std::move(x)), keeps_outputs_(keeps_outputs) {}

  void hold(double seconds) override {
    begun_ = Clock::now();
    hold_(seconds);
    end_of_hold_ = session_.back_end().mark();
  }

  [[nodiscard]] double seconds() const override { return seconds_between(begun_, Clock::now()); }
  [[nodiscard]] bool is_held() const override { return !end_of_hold_->is_finished(); }

  void launch() override {
    torch::Tensor y = x_ + 1;
    if (keeps_outputs_) outputs_.push_back(std::move(y));
  }

  [[nodiscard]] std::uint64_t claimed_bytes() const override {
    const auto totals = session_.back_end().claimed_bytes();
    return totals ? totals->claimed - totals->released : active_bytes(session_.device());
  }

 private:
  DeviceSession& session_;
  const train::DeviceHold& hold_;
  torch::Tensor x_;
  bool keeps_outputs_;
  TimePoint begun_{};
  std::unique_ptr<train::Mark> end_of_hold_{};
  std::vector<torch::Tensor> outputs_{};
};

/// `launch_queue`: how far launches run ahead of a device before launching blocks. Something holds
/// the device for `hold_seconds`; meanwhile y = x + 1 of ones of `shape` is launched up to
/// `launches` times, its outputs dropped or kept (`outputs`), and each launch is timed. On `cuda`
/// the depth is that of the driver's queue; on `acpu` it is what the run-ahead limit allows beyond
/// the hold, which is one operation in flight per worker. An allocation is part of its launch: if
/// outputs are kept and the caching allocator has to request more memory, that may be what blocks.
class LaunchQueueExperiment final : public TimedProgram {
 public:
  /// @throws UnavailableError where nothing is ever queued, and for a device that cannot be held.
  explicit LaunchQueueExperiment(const ExperimentContext& context)
      : TimedProgram(context), hold_(make_hold(context)) {}

 protected:
  void set_up() override { x_ = at::ones(program().shape, options()); }
  void run_once(Repeat& repeat) override {
    static_cast<void>(x_ + 1);  // Leaves the extra time of a first launch out of the measurement.
    back_end().synchronize();
    DeviceOfRun device(session(), hold_, x_, program().outputs == config::Outputs::kKept);
    const LaunchQueue queue = fill_launch_queue(device, program().hold_seconds, program().launches);

    const auto launches = static_cast<double>(queue.launches);
    repeat.measure("launches", launches);
    if (queue.launch_seconds) repeat.measure("launch_seconds", *queue.launch_seconds);
    if (queue.blocked_seconds) {
      repeat.measure("depth", launches);
      repeat.measure("blocked_seconds", *queue.blocked_seconds);
    } else {
      repeat.keep("depth_unknown_because", queue.unknown_because);
    }
    repeat.measure("kept_bytes", static_cast<double>(queue.kept_bytes));
  }

  void add_results(Json& results) const override {
    for (const char* key :
         {"depth", "depth_unknown_because", "launch_seconds", "blocked_seconds"}) {
      if (!results.contains(key)) results[key] = nullptr;
    }
  }

 private:
  train::DeviceHold hold_;
  torch::Tensor x_{};
};

}  // namespace

std::unique_ptr<Experiment> make_launch_queue(const ExperimentContext& context) {
  return std::make_unique<LaunchQueueExperiment>(context);
}

}  // namespace runahead::experiment
