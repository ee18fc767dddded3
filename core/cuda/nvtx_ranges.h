#pragma once

#include <functional>
#include <memory>

#include "core/train/loop_observer.h"

namespace runahead::cuda {

/// Opens and closes ranges that lie within each other, on the calling thread.
struct RangeFunctions {
  std::function<void(const char* name)> open{};
  std::function<void()> close{};  ///< The one that was opened last.
};

/// Shows a training loop as ranges of the front end's thread: `batch`, and within it `wait`,
/// `data`, `issue`, `issue backward`, `wait`. To be used, and destroyed, on the loop's thread;
/// closes what a loop that threw left open. @throws UsageError unless both functions are there.
[[nodiscard]] std::unique_ptr<train::LoopObserver> make_loop_ranges(RangeFunctions functions);

/// These ranges for NVIDIA's profilers (NVTX; Nsight Systems shows them). Without a profiler a
/// range costs some nanoseconds; does nothing where the build found no NVTX headers.
[[nodiscard]] std::unique_ptr<train::LoopObserver> make_nvtx_ranges();

}  // namespace runahead::cuda
