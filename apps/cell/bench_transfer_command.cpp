#include <torch/cuda.h>
#include <torch/utils.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "apps/cell/command.h"
#include "apps/cell/transfer_loop.h"
#include "core/base/affinity.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/experiment/thread_placement.h"

namespace runahead::cell {
namespace {

/// Issuing the copies of a size up to this takes long enough to show whether something else used
/// the CPU.
constexpr std::int64_t kLargestOfShares = std::int64_t{1} << 20;

torch::Device find_cuda() {
  if (torch::cuda::device_count() > 0) return {torch::kCUDA, 0};
  throw UnavailableError(
      "bench-transfer copies to a CUDA device, and LibTorch found none; `runahead devices` says "
      "what is there");
}

torch::Tensor host_bytes(bool is_pinned) {
  const auto options = torch::TensorOptions(torch::kUInt8).pinned_memory(is_pinned);
  return torch::full({kTransferSizes.back()}, 1, options);
}

class TransferBench {
 public:
  TransferBench() : back_end_(train::make_back_end(device_)) {
    // The driver's threads exist by now, so they are not pinned with this one.
    experiment::apply_to_front_end(experiment::place_threads({}, 0, allowed_cpus()));
  }

  Json run() {
    Json sizes = Json::array();
    for (const std::int64_t bytes : kTransferSizes) sizes.push_back(measure_size(bytes));
    return {{"cpu_share", cpu_share_}, {"sizes", sizes}};
  }

 private:
  Json measure_size(std::int64_t bytes) {
    Json figures = {{"bytes", bytes}, {"copies", copies_of(bytes)}};
    for (const TransferWay& way : kTransferWays) {
      const torch::Tensor source = (way.is_pinned ? pinned_ : pageable_).narrow(0, 0, bytes);
      const TransferFigures cost = measure_transfers(source, target_.narrow(0, 0, bytes),
                                                     copies_of(bytes), way.is_blocking, *back_end_);
      figures[way.name] = {{"gb_per_second", cost.gb_per_second}, {"issue_us", cost.issue_us}};
      if (way.is_blocking || !way.is_pinned || bytes > kLargestOfShares) continue;
      cpu_share_ = std::min(cpu_share_, cost.front_end_cpu_share);
    }
    return figures;
  }

  torch::Device device_ = find_cuda();
  std::unique_ptr<train::BackEnd> back_end_;
  torch::Tensor pageable_ = host_bytes(false);
  torch::Tensor pinned_ = host_bytes(true);
  torch::Tensor target_ =
      torch::empty({kTransferSizes.back()}, torch::TensorOptions(torch::kUInt8).device(device_));
  double cpu_share_ = 1.0;  ///< The lowest known share.
};

}  // namespace

Command add_bench_transfer_command(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("bench-transfer", "One process of `bench transfer`");
  parser->group("");  // Hides it.
  return {parser, [] {
            const torch::NoGradGuard no_grad;
            std::cout << dump_json(TransferBench().run(), 2) << std::endl;
            return ExitCode::kOk;
          }};
}

}  // namespace runahead::cell
