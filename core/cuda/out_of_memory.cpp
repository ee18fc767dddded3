#include "core/cuda/out_of_memory.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "core/base/bytes.h"
#include "core/cuda/active_allocator.h"
#include "core/cuda/memory_sources.h"

namespace runahead::cuda {
namespace {

struct LastSummary {
  std::mutex mutex{};
  std::optional<std::string> text{};  ///< Guarded by mutex.
};

/// Never destroyed, because LibTorch may call the observer until the process ends.
LastSummary& last_summary() {
  static auto* const summary = new LastSummary();
  return *summary;
}

void replace_summary(std::optional<std::string> text) {
  LastSummary& last = last_summary();
  const std::lock_guard lock(last.mutex);
  last.text = std::move(text);
}

std::string peaked_text(const Peaked& figure) {
  return format_bytes(figure.current) + " (at most " + format_bytes(figure.peak) + ")";
}

std::string summary_of(int device, std::size_t asked, std::size_t total, std::size_t free) {
  std::string text = "cuda:" + std::to_string(device) + ": " + format_bytes(asked) +
                     " could not be had: of " + format_bytes(total) + " the device had " +
                     format_bytes(free) + " free";
  const std::optional<AllocatorFigures> figures = allocator_figures(device);
  if (!figures) return text;
  text += "; LibTorch had allocated " + peaked_text(figures->allocated) + ", active " +
          peaked_text(figures->active) + ", reserved " + peaked_text(figures->reserved);
  if (figures->alloc_retries && figures->out_of_memories) {
    text += "; its cache was given back " + std::to_string(*figures->alloc_retries) +
            " times, memory was short " + std::to_string(*figures->out_of_memories) + " times";
  }
  return text;
}

/// Called by the allocator before it throws, without holding its lock.
void note_out_of_memory(std::int64_t device, std::size_t asked, std::size_t total,
                        std::size_t free) noexcept {
  try {
    replace_summary(summary_of(static_cast<int>(device), asked, total, free));
  } catch (const std::exception&) {
    // Host memory may be exhausted, too; the allocator's own error still reports the failure.
  }
}

}  // namespace

void watch_out_of_memory() {
  static std::once_flag once;
  if (!is_native_allocator()) return;
  std::call_once(
      once, [] { c10::cuda::CUDACachingAllocator::attachOutOfMemoryObserver(note_out_of_memory); });
}

std::optional<std::string> out_of_memory_summary() {
  LastSummary& last = last_summary();
  const std::lock_guard lock(last.mutex);
  return last.text;
}

void forget_out_of_memory() { replace_summary(std::nullopt); }

}  // namespace runahead::cuda
