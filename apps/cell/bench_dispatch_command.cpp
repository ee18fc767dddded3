#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "apps/cell/command.h"
#include "apps/cell/dispatch_loop.h"
#include "apps/cell/dispatch_mlp_step.h"
#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/device/device.h"
#include "core/experiment/thread_placement.h"

namespace runahead::cell {
namespace {

constexpr std::int64_t kSteps = 3000;

/// The settings of a default run, but without observers of the operations.
void configure_acpu(const experiment::ThreadPlacement& placement) {
  device::configure({.worker_cpus = placement.worker_cpus});
}

constexpr int kRoundTrips = 100'000;
constexpr double kNanosecondsPerSecond = 1e9;

/// Whose turn it is: even for the front end, odd for the worker.
class alignas(64) Turn {
 public:
  void wait_for(int turn) const {
    while (turn_.load(std::memory_order_acquire) != turn) {
    }
  }
  void end(int turn) { turn_.store(turn + 1, std::memory_order_release); }

 private:
  std::atomic<int> turn_{-1};  // The worker starts the first turn.
};

/// How long a written cache line takes from the front end's CPU to the first worker's and back, in
/// nanoseconds. It decides what handing work over to the worker costs: some 50 ns if the two CPUs
/// share a cache, several hundred between sockets. Blocks for at most some 50 ms; to be called on
/// the front end's thread.
/// @return nullopt if the threads are not pinned or share a CPU.
std::optional<double> measure_cpu_round_trip_ns(const experiment::ThreadPlacement& placement) {
  if (!placement.front_end_cpu || placement.worker_cpus.front() == *placement.front_end_cpu) {
    return std::nullopt;
  }
  Turn turn;
  const std::jthread worker([&turn, cpu = placement.worker_cpus.front()] {
    pin_calling_thread(cpu);
    turn.end(-1);
    for (int i = 0; i < kRoundTrips; ++i) {
      turn.wait_for(2 * i + 1);
      turn.end(2 * i + 1);
    }
  });
  turn.wait_for(0);
  const TimePoint begun = Clock::now();
  for (int i = 0; i < kRoundTrips; ++i) {
    turn.wait_for(2 * i);
    turn.end(2 * i);
  }
  turn.wait_for(2 * kRoundTrips);
  return seconds_between(begun, Clock::now()) * kNanosecondsPerSecond / kRoundTrips;
}

class DispatchBench {
 public:
  explicit DispatchBench(const std::string& device)
      : placement_(experiment::place_threads({}, 1, allowed_cpus())) {
    experiment::apply_to_front_end(placement_);
    if (device == "acpu") register_device();
    device_ = torch::Device(device);
    if (is_acpu()) configure_acpu(placement_);
    back_end_ = train::make_back_end(device_);
  }

  Json run() {
    std::optional<double> round_trip_ns;
    if (is_acpu()) round_trip_ns = measure_cpu_round_trip_ns(placement_);
    for (const OperatorLoop& loop : make_operator_loops(device_)) run_loop(loop);
    run_mlp_step();
    return {{"cpu_share", cpu_share_},
            {"cpu_round_trip_ns", round_trip_ns ? Json(*round_trip_ns) : Json(nullptr)},
            {"figures", figures_}};
  }

 private:
  [[nodiscard]] bool is_acpu() const { return device_.is_privateuseone(); }

  void run_loop(const OperatorLoop& loop) {
    const LoopFigures cost = measure(loop, *back_end_);
    figures_[loop.name] = {
        {"issue_us", cost.issue_us}, {"total_us", cost.total_us}, {"waited_us", cost.waited_us}};
    cpu_share_ = std::min(cpu_share_, cost.front_end_cpu_share);
    if (is_acpu()) cpu_share_ = std::min(cpu_share_, cost.other_threads_cpu_share);
  }

  void run_mlp_step() {
    MlpStep step(device_);
    const StepFigures cost = measure(step, kSteps, *back_end_);
    Json& figures = figures_["mlp_step"];
    figures = {{"issue_us", cost.issue_us},
               {"total_us", cost.total_us},
               {"waited_us", cost.waited_us},
               {"forward_issue_us", cost.part_issue_us[0]},
               {"backward_issue_us", cost.part_issue_us[1]},
               {"optimizer_issue_us", cost.part_issue_us[2]}};
    // The back end waits for the front end, so the share of other threads shows nothing.
    cpu_share_ = std::min(cpu_share_, cost.front_end_cpu_share);
    if (!is_acpu()) return;
    const BackwardHop hop = measure_backward_hop(device_);
    figures["hop_us"] = hop.us;
    cpu_share_ = std::min(cpu_share_, hop.front_end_cpu_share);
    const auto operations = count_operations(step);
    figures["forward_operations"] = operations[0];
    figures["backward_operations"] = operations[1];
    figures["optimizer_operations"] = operations[2];
  }

  experiment::ThreadPlacement placement_;
  torch::Device device_ = torch::kCPU;
  std::unique_ptr<train::BackEnd> back_end_{};
  Json figures_ = Json::object();
  double cpu_share_ = 1.0;  ///< The lowest over everything but single waits.
};

}  // namespace

Command add_bench_dispatch_command(CLI::App& program) {
  const auto device = std::make_shared<std::string>();
  CLI::App* parser = program.add_subcommand("bench-dispatch", "One process of `bench dispatch`");
  parser->group("");  // Hides it.
  parser->add_option("device", *device, "cpu or acpu")
      ->required()
      ->check(CLI::IsMember({"cpu", "acpu"}));
  return {parser, [device] {
            std::cout << dump_json(DispatchBench(*device).run(), 2) << std::endl;
            return ExitCode::kOk;
          }};
}

}  // namespace runahead::cell
