#include "core/device/block.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceType.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace runahead::device {
namespace {

constexpr std::uint64_t kAlignment = 64;

void* take_device_address(std::uint64_t size_bytes, MemoryLedger& ledger) noexcept {
  const std::uint64_t span = (size_bytes / kAlignment + 1) * kAlignment;
  return reinterpret_cast<void*>(
      ledger.next_device_address.fetch_add(span, std::memory_order_relaxed));
}

void move_bytes(PeakCounter*& from, PeakCounter& to, std::uint64_t bytes) noexcept {
  from->subtract(bytes);
  to.add(bytes);
  from = &to;
}

}  // namespace

Block::Block(std::uint64_t size_bytes, MemoryLedger& ledger)
    : size_bytes_(size_bytes),
      ledger_(ledger),
      device_address_(take_device_address(size_bytes, ledger)),
      counted_in_(&ledger.promised) {
  ledger_.promised.add(size_bytes_);
  ledger_.claimed.add(size_bytes_);
}

Block::~Block() {
  if (memory_address_.load(std::memory_order_relaxed) != nullptr) {
    memory_.clear();
    ledger_.frees.fetch_add(1, std::memory_order_relaxed);
  }
  counted_in_->subtract(size_bytes_);
  ledger_.claimed.subtract(size_bytes_);
}

void* Block::memory() {
  if (void* address = memory_address_.load(std::memory_order_acquire)) return address;
  const std::lock_guard lock(mutex_);
  claim_locked();
  return memory_address_.load(std::memory_order_relaxed);
}

void* Block::memory_for_host_input() {
  const std::lock_guard lock(mutex_);
  claim_locked();
  is_host_input_ = true;
  return memory_address_.load(std::memory_order_relaxed);
}

void Block::claim_locked() {
  if (memory_address_.load(std::memory_order_relaxed) != nullptr) return;
  try {
    // An empty block gets an address too: kernels tell it from undefined memory.
    memory_ = c10::GetCPUAllocator()->allocate(std::max<std::uint64_t>(size_bytes_, 1));
  } catch (const c10::Error& error) {
    ledger_.failures.fetch_add(1, std::memory_order_relaxed);
    throw OutOfMemoryError("acpu: could not allocate " + std::to_string(size_bytes_) +
                           " bytes: " + error.what_without_backtrace());
  }
  ledger_.allocations.fetch_add(1, std::memory_order_relaxed);
  move_bytes(counted_in_, ledger_.live, size_bytes_);
  memory_address_.store(memory_.get(), std::memory_order_release);
}

void Block::adopt(c10::DataPtr memory) {
  const std::lock_guard lock(mutex_);
  if (memory.get() == nullptr) return claim_locked();  // An empty result has no memory to give.
  memory_ = std::move(memory);
  ledger_.allocations.fetch_add(1, std::memory_order_relaxed);
  move_bytes(counted_in_, ledger_.live, size_bytes_);
  memory_address_.store(memory_.get(), std::memory_order_release);
}

c10::DataPtr Block::make_data_pointer(std::uint64_t size_bytes, MemoryLedger& ledger) {
  auto* block = new Block(size_bytes, ledger);
  block->storage_reference_ = engine::VariablePtr(block);
  return {block->device_address(), block, &Block::release_storage,
          c10::Device(c10::DeviceType::PrivateUse1, 0)};
}

Block& Block::of(const c10::DataPtr& pointer) {
  RUNAHEAD_REQUIRE(pointer.get_deleter() == &Block::release_storage,
                   "this storage was not allocated by the acpu device");
  return *static_cast<Block*>(pointer.get_context());
}

void Block::release_storage(void* context) noexcept {
  auto* block = static_cast<Block*>(context);
  const engine::VariablePtr reference = std::move(block->storage_reference_);
  if (!block->is_host_input_ || block->is_unique()) return;
  const std::lock_guard lock(block->mutex_);
  move_bytes(block->counted_in_, block->ledger_.held, block->size_bytes_);
}

}  // namespace runahead::device
