#pragma once

#include <functional>
#include <memory>

#include "core/train/loop_observer.h"

namespace runahead::cuda {

/// Opens and closes nested ranges on the calling thread.
struct RangeFunctions {
  std::function<void(const char* name)> open{};
  std::function<void()> close{};  ///< Closes the range that was opened last.
};

/// Shows a training loop as ranges on the front end's thread: `batch`, and within it `wait`,
/// `data`, `issue`, `issue backward`, `wait`. Use and destroy it on the loop's thread. Closes the
/// ranges that a loop left open when it threw. @throws UsageError unless both functions are set.
[[nodiscard]] std::unique_ptr<train::LoopObserver> make_loop_ranges(RangeFunctions functions);

/// These ranges for NVIDIA's profilers (NVTX, as shown by Nsight Systems). Without a profiler, a
/// range costs some nanoseconds. Does nothing if the build found no NVTX headers.
[[nodiscard]] std::unique_ptr<train::LoopObserver> make_nvtx_ranges();

}  // namespace runahead::cuda
