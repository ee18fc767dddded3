#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "apps/cell/command.h"
#include "apps/cell/cpu_round_trip.h"
#include "apps/cell/dispatch_loop.h"
#include "apps/cell/dispatch_mlp_step.h"
#include "core/base/affinity.h"
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
    if (!is_acpu()) return;
    figures["hop_us"] = measure_backward_hop_us(device_);
    const auto operations = count_operations(step);
    figures["forward_operations"] = operations[0];
    figures["backward_operations"] = operations[1];
    figures["optimizer_operations"] = operations[2];
  }

  experiment::ThreadPlacement placement_;
  torch::Device device_ = torch::kCPU;
  std::unique_ptr<train::BackEnd> back_end_{};
  Json figures_ = Json::object();
  double cpu_share_ = 1.0;  ///< The lowest over all loops.
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
