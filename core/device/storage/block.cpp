#include "core/device/storage/block.h"

#include <c10/core/DeviceType.h>
#include <c10/core/StorageImpl.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/device/device.h"
#include "core/device/storage/warm_memory.h"

namespace runahead::device {
namespace {

constexpr std::uint64_t kAlignment = 64;

void* take_device_address(std::uint64_t size_bytes, MemoryLedger& ledger) noexcept {
  const std::uint64_t span = (size_bytes / kAlignment + 1) * kAlignment;
  return reinterpret_cast<void*>(
      ledger.next_device_address.fetch_add(span, std::memory_order_relaxed));
}

}  // namespace

BlockPool::BlockPool(MemoryLedger& ledger) : ledger_(ledger), objects_(sizeof(Block)) {}

Block::Block(std::uint64_t size_bytes, BlockPool& pool)
    : size_bytes_(size_bytes), pool_(pool), tensor_class_(pool.ledger().present_class.get()) {
  count_as(MemoryUse::kPromised);
}

Block::Block(std::uint64_t size_bytes, BlockPool& pool, MemoryLease lease)
    : size_bytes_(size_bytes),
      pool_(pool),
      is_committed_(true),
      tensor_class_(pool.ledger().present_class.get()),
      has_predecessor_(!lease.predecessors.empty()),
      pool_memory_(std::move(lease.memory)),
      predecessors_(std::move(lease.predecessors)) {
  count_as(MemoryUse::kAllocated);
}

void Block::operator delete(Block* block, std::destroying_delete_t) noexcept {
  BlockPool& pool = block->pool_;
  block->~Block();
  pool.give_back(block);
}

Block::~Block() {
  // First: its memory may become idle, and must not be counted twice.
  if (pool_memory_ == nullptr) count_as(MemoryUse::kNone);
  host_tensor_.reset();
  host_storage_ = {};
  if (owns_first_layout_.load(std::memory_order_relaxed)) delete first_layout();
  if (is_untouched_) ledger().subtract_untouched(tensor_class_, size_bytes_);
  if (pool_memory_ != nullptr) {
    pool_memory_->leave(*this);
  } else {
    free_committed();
  }
}

void Block::count_as(MemoryUse use) noexcept {
  ledger().move(std::exchange(use_, use), use, piece());
}

MemoryPiece Block::piece() const noexcept {
  return {.bytes = memory_bytes(), .requested_bytes = size_bytes_, .tensor_class = tensor_class_};
}

void Block::free_committed() noexcept {
  if (!is_committed()) return;
  is_committed_.store(false, std::memory_order_relaxed);
  ledger().free(memory_bytes());
}

void Block::claim() {
  const std::lock_guard lock(lock_);
  if (memory_address_.load(std::memory_order_relaxed) != nullptr) return;
  claim_locked();
  if (pool_memory_ != nullptr) return;  // It tracks itself whether it was touched.
  is_untouched_ = true;
  ledger().add_untouched(tensor_class_, size_bytes_);
}

void* Block::memory() {
  if (is_touched_.load(std::memory_order_acquire)) {
    return memory_address_.load(std::memory_order_relaxed);
  }
  const std::lock_guard lock(lock_);
  claim_locked();
  touch_locked();
  return memory_address_.load(std::memory_order_relaxed);
}

void Block::touch_locked() noexcept {
  if (pool_memory_ != nullptr) pool_memory_->touch();
  if (std::exchange(is_untouched_, false)) ledger().subtract_untouched(tensor_class_, size_bytes_);
  is_touched_.store(true, std::memory_order_release);
}

const c10::Storage& Block::host_storage() {
  memory();
  return host_storage_;
}

void* Block::memory_for_host_input() {
  const std::lock_guard lock(lock_);
  claim_locked();
  touch_locked();
  is_host_input_ = true;
  return memory_address_.load(std::memory_order_relaxed);
}

void Block::claim_locked() {
  if (memory_address_.load(std::memory_order_relaxed) != nullptr) return;
  // An empty block gets an address too: kernels distinguish it from undefined memory.
  c10::DataPtr memory =
      pool_memory_ != nullptr
          ? c10::DataPtr(pool_memory_->address(), c10::Device(c10::DeviceType::CPU))
          : allocate_host_memory(std::max<std::uint64_t>(size_bytes_, 1), ledger());
  take_memory_locked(c10::Storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), static_cast<std::int64_t>(size_bytes_),
      std::move(memory), nullptr, false)));
}

void Block::take_memory_locked(c10::Storage storage) {
  void* const address = storage.mutable_data();
  host_storage_ = std::move(storage);
  if (pool_memory_ == nullptr) count_as(has_storage_ ? MemoryUse::kAllocated : MemoryUse::kFreed);
  memory_address_.store(address, std::memory_order_release);
}

void Block::adopt(at::Tensor result, const TensorLayout& layout) {
  const std::lock_guard lock(lock_);
  c10::Storage storage = result.storage();
  if (storage.data() == nullptr) return claim_locked();  // An empty result has no memory to give.
  storage.unsafeGetStorageImpl()->set_resizable(false);
  if (first_layout() == &layout) {
    host_tensor_ = std::move(result);
    has_host_tensor_.store(true, std::memory_order_relaxed);
  }
  result.reset();
  take_memory_locked(std::move(storage));
  is_touched_.store(true, std::memory_order_release);
}

bool Block::hand_over_memory(Block& heir) noexcept {
  if (!is_unique() || pool_memory_ != nullptr || size_bytes_ != heir.size_bytes_) return false;
  if (heir.has_memory() || !is_touched_.load(std::memory_order_acquire)) return false;
  ledger().reused.add(size_bytes_);
  host_tensor_.reset();
  has_host_tensor_.store(false, std::memory_order_relaxed);
  is_touched_.store(false, std::memory_order_relaxed);
  memory_address_.store(nullptr, std::memory_order_relaxed);
  count_as(MemoryUse::kNone);
  const std::lock_guard lock(heir.lock_);
  heir.take_memory_locked(std::move(host_storage_));
  heir.is_touched_.store(true, std::memory_order_release);
  return true;
}

void Block::set_first_layout_if_none(LayoutReference& layout) noexcept {
  const TensorLayout* none = nullptr;
  if (first_layout() != nullptr) return;
  const TensorLayout* const given = &*layout;
  if (!first_layout_.compare_exchange_strong(none, given, std::memory_order_acq_rel)) return;
  if (layout.is_own()) owns_first_layout_.store(layout.hand_over().release() != nullptr);
}

const at::Tensor& Block::host_tensor() {
  if (has_host_tensor_.load(std::memory_order_acquire)) return host_tensor_;
  const std::lock_guard lock(lock_);
  if (!host_tensor_.defined()) {
    claim_locked();
    touch_locked();
    host_tensor_ = make_host_tensor(host_storage_, *first_layout());
    has_host_tensor_.store(true, std::memory_order_release);
  }
  return host_tensor_;
}

void name_predecessor(Accesses& accesses, Block& block, engine::AccessMode mode) {
  Predecessors before = block.predecessors();
  if (before.empty()) return;
  for (engine::VariablePtr& each : before) {
    accesses.list.push_back({std::move(each), engine::AccessMode::kOverwrite});
  }
  if (mode != engine::AccessMode::kRead) accesses.written_first.push_front(&block);
}

at::Tensor make_host_tensor(c10::Storage storage, const TensorLayout& layout) {
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU),
      c10::scalarTypeToTypeMeta(layout.dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(layout.sizes, layout.strides,
                                                      layout.storage_offset);
  if (layout.is_conjugate) tensor._set_conj(true);
  if (layout.is_negative) tensor._set_neg(true);
  return tensor;
}

c10::DataPtr Block::storage_pointer() {
  storage_reference_ = engine::VariablePtr::first_of(*this);
  return {take_device_address(size_bytes_, ledger()), this, &Block::release_storage,
          c10::Device(c10::DeviceType::PrivateUse1, 0)};
}

Block& Block::of(const c10::DataPtr& pointer) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      pointer.get_deleter() == &Block::release_storage,
      "acpu: this storage is a part of another, or comes from elsewhere (a slice of a storage, a "
      "pickle, DLPack, another process), and the device has only storages of its own. Slice "
      "tensors "
      "instead; save with torch.save; or move the data through cpu");
  return *static_cast<Block*>(pointer.get_context());
}

Predecessors Block::predecessors() {
  const std::lock_guard lock(lock_);
  return predecessors_;
}

Predecessors Block::take_predecessors() noexcept {
  if (!has_predecessor()) return {};
  const std::lock_guard lock(lock_);
  has_predecessor_.store(false, std::memory_order_relaxed);
  return std::exchange(predecessors_, {});
}

void Block::release_storage(void* context) noexcept {
  // A worker may have held any lock of the device at the fork, and no longer exists to release it.
  if (is_forked()) [[unlikely]]
    return;
  auto* block = static_cast<Block*>(context);
  MemoryLedger& ledger = block->ledger();
  const std::uint64_t committed_bytes = block->is_committed() ? block->memory_bytes() : 0;
  const std::uint64_t last_use = block->last_use();
  let_go(*block);
  // Only now: committed bytes must always cover existing ones.
  if (committed_bytes != 0) ledger.foresee_free(committed_bytes, last_use);
}

void Block::let_go(Block& block) noexcept {
  const engine::VariablePtr reference = std::move(block.storage_reference_);
  if (block.pool_memory_ != nullptr) return block.pool_memory_->release(block);
  if (block.is_unique()) return;
  const std::lock_guard lock(block.lock_);
  block.has_storage_ = false;
  if (block.use_ == MemoryUse::kPromised) return;
  block.count_as(block.is_host_input_ ? MemoryUse::kHeld : MemoryUse::kFreed);
}

}  // namespace runahead::device
