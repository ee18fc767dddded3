#include "apps/cell/dispatch_loop.h"

#include <torch/utils.h>

#include "core/base/clock.h"

namespace runahead::cell {
namespace {

constexpr std::int64_t kSmallOperations = 100'000;
constexpr std::int64_t kMatmulOperations = 10'000;
constexpr std::int64_t kMatmulSize = 64;

torch::Tensor small_operand(torch::Device device) { return torch::ones({1, 2}).to(device); }

void issue(const OperatorLoop& loop, std::int64_t operations) {
  for (std::int64_t i = 0; i < operations; ++i) static_cast<void>(loop.issue());
}

void measure_waited_once(const OperatorLoop& loop, train::BackEnd& back_end, LoopFigures& figures) {
  const double process_cpu = process_cpu_seconds();
  const double front_end_cpu = thread_cpu_seconds();
  const TimePoint begun = Clock::now();
  issue(loop, loop.operations);
  const TimePoint issued = Clock::now();
  const double front_end_cpu_issued = thread_cpu_seconds();
  back_end.synchronize();
  const TimePoint idle = Clock::now();
  const double front_end_seconds = thread_cpu_seconds() - front_end_cpu;
  const double other_seconds = process_cpu_seconds() - process_cpu - front_end_seconds;

  const double us_per_second = kMicrosecondsPerSecond / static_cast<double>(loop.operations);
  figures.issue_us = seconds_between(begun, issued) * us_per_second;
  figures.total_us = seconds_between(begun, idle) * us_per_second;
  figures.front_end_cpu_share =
      (front_end_cpu_issued - front_end_cpu) / seconds_between(begun, issued);
  figures.other_threads_cpu_share = other_seconds / seconds_between(begun, idle);
}

void measure_waited_each(const OperatorLoop& loop, train::BackEnd& back_end, LoopFigures& figures) {
  const TimePoint begun = Clock::now();
  for (std::int64_t i = 0; i < loop.operations; ++i) back_end.wait_until_computed(loop.issue());
  figures.waited_us = seconds_between(begun, Clock::now()) * kMicrosecondsPerSecond /
                      static_cast<double>(loop.operations);
}

}  // namespace

std::vector<OperatorLoop> make_operator_loops(torch::Device device) {
  const torch::Tensor matrix =
      torch::full({kMatmulSize, kMatmulSize}, 1.0 / kMatmulSize).to(device);
  return {
      {"plus_one", kSmallOperations,
       [x = small_operand(device), y = torch::Tensor()]() mutable -> const torch::Tensor& {
         return y = x + 1;
       }},
      {"chained", kSmallOperations,
       [x = small_operand(device)]() mutable -> const torch::Tensor& { return x = x + 1; }},
      {"inplace", kSmallOperations,
       [x = small_operand(device)]() mutable -> const torch::Tensor& { return x += 1; }},
      {"matmul64", kMatmulOperations,
       [a = matrix, b = matrix.clone(), y = torch::Tensor()]() mutable -> const torch::Tensor& {
         return y = a.mm(b);
       }},
  };
}

LoopFigures measure(const OperatorLoop& loop, train::BackEnd& back_end) {
  issue(loop, loop.operations / kWarmupShare);
  back_end.synchronize();
  LoopFigures figures;
  measure_waited_once(loop, back_end, figures);
  measure_waited_each(loop, back_end, figures);
  return figures;
}

}  // namespace runahead::cell
