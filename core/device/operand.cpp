#include "core/device/operand.h"

#include <ATen/ops/empty.h>
#include <c10/core/Allocator.h>
#include <c10/core/StorageImpl.h>

#include "core/base/error.h"

namespace runahead::device {

TensorLayout TensorLayout::of(const at::Tensor& tensor) {
  TensorLayout layout;
  layout.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  layout.strides.assign(tensor.strides().begin(), tensor.strides().end());
  layout.storage_offset = tensor.storage_offset();
  layout.dtype = tensor.scalar_type();
  layout.is_conjugate = tensor.is_conj();
  layout.is_negative = tensor.is_neg();
  return layout;
}

std::int64_t TensorLayout::element_count() const noexcept {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

std::uint64_t TensorLayout::storage_bytes() const noexcept {
  std::int64_t last = storage_offset;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return static_cast<std::uint64_t>(last + 1) * c10::elementSize(dtype);
}

bool TensorLayout::is_contiguous() const noexcept {
  std::int64_t expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

Operand Operand::of(const at::Tensor& tensor) {
  return {&block_of(tensor), TensorLayout::of(tensor)};
}

bool Operand::covers_block() const noexcept {
  return layout.storage_offset == 0 && layout.is_contiguous() &&
         static_cast<std::uint64_t>(layout.element_count()) * c10::elementSize(layout.dtype) ==
             block->size_bytes();
}

at::Tensor HostViews::of(const Operand& operand) {
  c10::Storage storage;
  for (const auto& [block, known] : storages_) {
    if (block == operand.block) storage = known;
  }
  if (!storage) {
    storage = c10::Storage(c10::make_intrusive<c10::StorageImpl>(
        c10::StorageImpl::use_byte_size_t(), static_cast<std::int64_t>(operand.block->size_bytes()),
        c10::DataPtr(operand.block->memory(), c10::Device(c10::kCPU)), nullptr, false));
    storages_.emplace_back(operand.block, storage);
  }
  const TensorLayout& layout = operand.layout;
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU),
      c10::scalarTypeToTypeMeta(layout.dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(layout.sizes, layout.strides,
                                                      layout.storage_offset);
  if (layout.is_conjugate) tensor._set_conj(true);
  if (layout.is_negative) tensor._set_neg(true);
  return tensor;
}

bool HostViews::owns(const c10::Storage& storage) const noexcept {
  for (const auto& entry : storages_) {
    if (entry.second.is_alias_of(storage)) return true;
  }
  return false;
}

at::Tensor make_device_tensor(const TensorLayout& layout) {
  c10::Allocator* allocator = c10::GetAllocator(c10::kPrivateUse1);
  const std::uint64_t bytes = layout.storage_bytes();
  c10::Storage storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), static_cast<std::int64_t>(bytes),
      allocator->allocate(bytes), allocator, true));
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::scalarTypeToTypeMeta(layout.dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(layout.sizes, layout.strides,
                                                      layout.storage_offset);
  return tensor;
}

Block& block_of(const at::Tensor& tensor) {
  RUNAHEAD_REQUIRE(tensor.device().type() == c10::DeviceType::PrivateUse1,
                   "expected a tensor on acpu but found one on " + tensor.device().str());
  return Block::of(tensor.storage().data_ptr());
}

}  // namespace runahead::device
