#include "apps/cell/transfer_loop.h"

#include "apps/cell/dispatch_loop.h"
#include "core/base/clock.h"

namespace runahead::cell {
namespace {

constexpr double kBytesPerGigabyte = 1e9;

}  // namespace

TransferFigures measure_transfers(const torch::Tensor& source, const torch::Tensor& target,
                                  std::int64_t copies, bool is_blocking, train::BackEnd& back_end) {
  target.copy_(source, !is_blocking);
  back_end.synchronize();

  const double cpu_seconds = thread_cpu_seconds();
  const TimePoint begun = Clock::now();
  for (std::int64_t i = 0; i < copies; ++i) target.copy_(source, !is_blocking);
  const double issue_seconds = seconds_between(begun, Clock::now());
  const double issue_cpu_seconds = thread_cpu_seconds() - cpu_seconds;
  back_end.synchronize();
  const double total_seconds = seconds_between(begun, Clock::now());

  const auto count = static_cast<double>(copies);
  return {.gb_per_second =
              count * static_cast<double>(source.nbytes()) / kBytesPerGigabyte / total_seconds,
          .issue_us = issue_seconds * kMicrosecondsPerSecond / count,
          .front_end_cpu_share = issue_cpu_seconds / issue_seconds};
}

}  // namespace runahead::cell
