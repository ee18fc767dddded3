#include "core/cuda/nvtx_ranges.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include <array>
#include <utility>

#include "core/base/enum_names.h"
#include "core/base/error.h"

namespace runahead::cuda {
namespace {

class LoopRanges final : public train::LoopObserver {
 public:
  explicit LoopRanges(RangeFunctions functions) : functions_(std::move(functions)) {
    RUNAHEAD_REQUIRE(functions_.open && functions_.close, "ranges need both functions");
  }
  ~LoopRanges() override { close_all(); }
  LoopRanges(const LoopRanges&) = delete;
  LoopRanges& operator=(const LoopRanges&) = delete;

  void on_phase(train::LoopPhase phase, TimePoint) override {
    using train::LoopPhase;
    constexpr std::array kNames{"wait", "data", "issue", "issue backward", "wait", ""};
    if (phase == LoopPhase::kWaitBefore || phase == LoopPhase::kBatchEnd) close_all();
    if (phase == LoopPhase::kBatchEnd) return;
    if (phase == LoopPhase::kWaitBefore) open("batch");
    turn_to(name_at(kNames, phase));
  }

 private:
  void open(const char* name) {
    functions_.open(name);
    ++open_;
  }

  void close() {
    functions_.close();
    --open_;
  }

  void close_all() {
    while (open_ > 0) close();
  }

  /// Ends the current phase of the batch, if any, and begins the next.
  void turn_to(const char* name) {
    if (open_ > 1) close();
    open(name);
  }

  RangeFunctions functions_;
  int open_ = 0;
};

}  // namespace

std::unique_ptr<train::LoopObserver> make_loop_ranges(RangeFunctions functions) {
  return std::make_unique<LoopRanges>(std::move(functions));
}

std::unique_ptr<train::LoopObserver> make_nvtx_ranges() {
#ifdef NVTX_VERSION
  return make_loop_ranges(
      {.open = [](const char* name) { nvtxRangePushA(name); }, .close = [] { nvtxRangePop(); }});
#else
  return make_loop_ranges({.open = [](const char*) {}, .close = [] {}});
#endif
}

}  // namespace runahead::cuda
