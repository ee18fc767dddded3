#include "core/device/storage/warm_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/device/runtime.h"

namespace runahead::device {
namespace {

constexpr std::size_t kMostWarmSlackShare = 8;
/// Leaves room for results of other sizes, which are alive at other times of a step.
constexpr std::size_t kWarmSpareShare = 4;

thread_local bool allocates_results = false;

}  // namespace

WarmMemory::Scope::Scope() noexcept : before_(std::exchange(allocates_results, true)) {}

WarmMemory::Scope::~Scope() { allocates_results = before_; }

WarmMemory::WarmMemory(MemoryLedger& ledger)
    : ledger_(ledger), default_(*c10::GetDefaultCPUAllocator()) {}

bool WarmMemory::install() {
  if (c10::GetCPUAllocator() == &default_) c10::SetCPUAllocator(this);
  return c10::GetCPUAllocator() == this;
}

void WarmMemory::set_keeping(bool is_keeping) noexcept {
  is_keeping_.store(is_keeping, std::memory_order_relaxed);
  if (!is_keeping) return_kept();
}

c10::DataPtr WarmMemory::allocate(std::size_t bytes) {
  if (!allocates_results || bytes < kLeastBytes || !is_keeping_.load(std::memory_order_relaxed)) {
    return allocate_fresh(bytes);
  }
  void* memory = nullptr;
  Pieces returned;
  {
    const std::lock_guard lock(mutex_);
    memory = take_kept(bytes);
    returned = take_beyond_bound(memory == nullptr ? bytes : 0);
  }
  free_all(returned);
  if (memory == nullptr) memory = make(bytes);
  return {memory, memory, &WarmMemory::give_back_to_device, c10::Device(c10::DeviceType::CPU)};
}

c10::DataPtr WarmMemory::allocate_fresh(std::size_t bytes) {
  try {
    return default_.allocate(bytes);
  } catch (const c10::Error&) {
    // A forked child has no runtime: a worker may have held the lock at the fork.
    if (Runtime::find() == nullptr || !return_kept()) throw;
    ledger_.retries.fetch_add(1, std::memory_order_relaxed);
  }
  return default_.allocate(bytes);
}

void* WarmMemory::take_kept(std::size_t bytes) noexcept {
  const auto fitting = kept_.lower_bound(bytes);
  if (fitting == kept_.end() || fitting->first - bytes > bytes / kMostWarmSlackShare)
    return nullptr;
  const auto latest = std::prev(kept_.upper_bound(fitting->first));
  auto& [size, memory] = *latest;
  try {
    note_in_use(memory, size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  void* const taken = memory;
  kept_bytes_ -= size;
  ledger_.idle.subtract(size);
  kept_.erase(latest);
  return taken;
}

void* WarmMemory::make(std::size_t bytes) {
  c10::DataPtr made = allocate_fresh(bytes);
  const std::lock_guard lock(mutex_);
  note_in_use(made.get(), bytes);
  return made.release_context();
}

void WarmMemory::note_in_use(void* memory, std::size_t bytes) {
  in_use_.insert_or_assign(memory, bytes);
  in_use_bytes_ += bytes;
  most_in_use_bytes_ = std::max(most_in_use_bytes_, in_use_bytes_);
  if (++requests_ < kWindow) return;
  requests_ = 0;
  most_in_use_before_ = std::exchange(most_in_use_bytes_, in_use_bytes_);
}

WarmMemory::Pieces WarmMemory::take_beyond_bound(std::size_t new_bytes) noexcept {
  const std::size_t most =
      std::max({most_in_use_bytes_, most_in_use_before_, in_use_bytes_ + new_bytes});
  const std::size_t bound = most + most / kWarmSpareShare;
  Pieces taken;
  while (!kept_.empty() && in_use_bytes_ + kept_bytes_ + new_bytes > bound) {
    auto largest = kept_.extract(std::prev(kept_.end()));
    kept_bytes_ -= largest.key();
    ledger_.idle.subtract(largest.key());
    taken.insert(std::move(largest));
  }
  return taken;
}

void WarmMemory::give_back_to_device(void* memory) noexcept {
  if (Runtime* const runtime = Runtime::find()) return runtime->warm_memory.give_back(memory);
  // A worker may have held the lock at the fork, and no longer exists to release it.
  c10::GetDefaultCPUAllocator()->raw_deleter()(memory);
}

void WarmMemory::give_back(void* memory) noexcept {
  if (!keep(memory)) default_.raw_deleter()(memory);
}

bool WarmMemory::keep(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = in_use_.find(memory);
  if (found == in_use_.end()) return false;
  const std::size_t bytes = found->second;
  in_use_bytes_ -= bytes;
  in_use_.erase(found);
  if (!is_keeping_.load(std::memory_order_relaxed)) return false;
  try {
    kept_.emplace(bytes, memory);
  } catch (const std::bad_alloc&) {
    return false;
  }
  kept_bytes_ += bytes;
  ledger_.add_idle(bytes);
  return true;
}

bool WarmMemory::return_kept() noexcept {
  Pieces returned;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [bytes, memory] : kept_) ledger_.idle.subtract(bytes);
    kept_bytes_ = 0;
    most_in_use_bytes_ = most_in_use_before_ = in_use_bytes_;
    returned.swap(kept_);
  }
  free_all(returned);
  return !returned.empty();
}

void WarmMemory::free_all(const Pieces& pieces) const noexcept {
  for (const auto& [bytes, memory] : pieces) default_.raw_deleter()(memory);
}

c10::DeleterFnPtr WarmMemory::raw_deleter() const { return &WarmMemory::give_back_to_device; }

void WarmMemory::copy_data(void* target, const void* source, std::size_t bytes) const {
  default_.copy_data(target, source, bytes);
}

c10::DataPtr allocate_host_memory(std::uint64_t bytes, MemoryLedger& ledger) {
  const WarmMemory::Scope device_memory;
  try {
    return c10::GetCPUAllocator()->allocate(bytes);
  } catch (const c10::Error& error) {
    ledger.failures.fetch_add(1, std::memory_order_relaxed);
    throw OutOfMemoryError("acpu: could not allocate " + std::to_string(bytes) +
                           " bytes: " + error.what_without_backtrace());
  }
}

}  // namespace runahead::device
