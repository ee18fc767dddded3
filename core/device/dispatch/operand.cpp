#include "core/device/dispatch/operand.h"

#include <c10/core/Allocator.h>
#include <c10/core/StorageImpl.h>

#include "core/base/error.h"
#include "core/device/runtime.h"

namespace runahead::device {

Operand Operand::of(const at::Tensor& tensor) {
  Block& block = block_of(tensor);
  const TensorLayout* first = block.first_layout();
  if (first != nullptr && first->describes(tensor)) {
    return Operand(block, LayoutReference::of_known(*first));
  }
  auto layout = LayoutReference::of(Runtime::get().known_layouts, tensor);
  TORCH_CHECK(layout->storage_bytes() <= block.size_bytes(), "acpu: a tensor of sizes ",
              tensor.sizes(), ", strides ", tensor.strides(), " and offset ",
              tensor.storage_offset(), " reaches beyond its storage of ", block.size_bytes(),
              " bytes");
  return of(tensor, std::move(layout));
}

Operand Operand::of(const at::Tensor& tensor, LayoutReference layout) {
  Block& block = block_of(tensor);
  block.set_first_layout_if_none(layout);
  return Operand(block, std::move(layout));
}

Operand::Operand(Block& block, LayoutReference layout) noexcept
    : block_(&block), layout_(std::move(layout)) {}

bool Operand::covers_block() const noexcept {
  return layout().storage_offset == 0 && layout().is_contiguous() &&
         static_cast<std::uint64_t>(layout().element_count()) * c10::elementSize(layout().dtype) ==
             block_->size_bytes();
}

at::Tensor Operand::host_tensor() const {
  return block_->first_layout() == &layout() ? block_->host_tensor() : own_host_tensor();
}

at::Tensor Operand::own_host_tensor() const {
  return make_host_tensor(block_->host_storage(), layout());
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
