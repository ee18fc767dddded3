#include "core/trace/recording.h"

#include <algorithm>

namespace runahead::trace {
namespace {

constexpr std::size_t kLeastRoom = 2;

std::size_t share_of(std::size_t room, int executors) {
  return std::max(kLeastRoom, room / static_cast<std::size_t>(std::max(1, executors)));
}

}  // namespace

Recording::Recording(int executors, const TraceBounds& bounds)
    : issues(bounds.operations),
      batches(bounds.batches),
      waits(bounds.waits),
      executions(static_cast<std::size_t>(executors),
                 FirstAndLast<Execution>(share_of(bounds.operations, executors))) {}

void Recording::clear() noexcept {
  issues.clear();
  batches.clear();
  waits.clear();
  waits_of_other_threads = 0;
  drain.reset();
  for (auto& of_worker : executions) of_worker.clear();
}

std::uint64_t Recording::operations_recorded() const noexcept {
  std::uint64_t operations = 0;
  for (const auto& of_worker : executions) operations += of_worker.kept();
  return operations;
}

std::uint64_t Recording::operations_left_out() const noexcept {
  std::uint64_t operations = 0;
  for (const auto& of_worker : executions) operations += of_worker.left_out();
  return operations;
}

std::size_t Recording::memory_bytes() const noexcept {
  std::size_t bytes = issues.memory_bytes() + batches.memory_bytes() + waits.memory_bytes();
  for (const auto& of_worker : executions) bytes += of_worker.memory_bytes();
  return bytes;
}

Json summary_of(const Recording& recording) {
  return {{"operations_recorded", recording.operations_recorded()},
          {"operations_left_out", recording.operations_left_out()},
          {"batches_recorded", recording.batches.kept()},
          {"batches_left_out", recording.batches.left_out()},
          {"waits_recorded", recording.waits.kept()},
          {"waits_left_out", recording.waits.left_out()},
          {"waits_of_other_threads", recording.waits_of_other_threads},
          {"kept", "the first and the last of each, as many; what is left out lies between"},
          {"recorder_bytes", recording.memory_bytes()}};
}

}  // namespace runahead::trace
