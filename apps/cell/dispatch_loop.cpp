#include "apps/cell/dispatch_loop.h"

#include <torch/utils.h>

namespace runahead::cell {
namespace {

constexpr std::int64_t kSmallOperations = 100'000;
constexpr std::int64_t kMatmulOperations = 10'000;
constexpr std::int64_t kMatmulSize = 64;

torch::Tensor small_operand(torch::Device device) { return torch::ones({1, 2}).to(device); }

void issue(const OperatorLoop& loop, std::int64_t operations) {
  for (std::int64_t i = 0; i < operations; ++i) static_cast<void>(loop.issue());
}

void measure_waited_each(const OperatorLoop& loop, train::BackEnd& back_end, LoopFigures& figures) {
  const TimePoint begun = Clock::now();
  for (std::int64_t i = 0; i < loop.operations; ++i) back_end.wait_until_computed(loop.issue());
  figures.waited_us = seconds_between(begun, Clock::now()) * kMicrosecondsPerSecond /
                      static_cast<double>(loop.operations);
}

}  // namespace

void OnceTimer::note_issued(TimePoint time) {
  issued_ = time;
  issuing_cpu_seconds_ = thread_cpu_seconds() - front_end_cpu_seconds_;
}

void OnceTimer::finish(std::int64_t calls, LoopFigures& figures) const {
  const TimePoint idle = Clock::now();
  const double front_end_seconds = thread_cpu_seconds() - front_end_cpu_seconds_;
  const double other_seconds = process_cpu_seconds() - process_cpu_seconds_ - front_end_seconds;
  const double us_per_second = kMicrosecondsPerSecond / static_cast<double>(calls);
  figures.issue_us = seconds_between(begun_, issued_) * us_per_second;
  figures.total_us = seconds_between(begun_, idle) * us_per_second;
  figures.front_end_cpu_share = issuing_cpu_seconds_ / seconds_between(begun_, issued_);
  figures.other_threads_cpu_share = other_seconds / seconds_between(begun_, idle);
}

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
  OnceTimer timer;
  issue(loop, loop.operations);
  timer.note_issued();
  back_end.synchronize();
  timer.finish(loop.operations, figures);
  measure_waited_each(loop, back_end, figures);
  return figures;
}

}  // namespace runahead::cell
