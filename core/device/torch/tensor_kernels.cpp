#include "core/device/torch/registrations.h"

#include <ATen/EmptyTensor.h>
#include <ATen/InferSize.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ResizeCommon.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/bernoulli.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/view_native.h>

#include <c10/util/strides.h>

#include <cstring>

#include "core/device/dispatch/issue.h"
#include "core/device/dispatch/operand.h"
#include "core/device/layouts/shape_function.h"
#include "core/device/torch/guard.h"

namespace runahead::device {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void check_options(std::optional<at::Layout> layout, std::optional<at::Device> device) {
  if (device) require_index(device->index());
  TORCH_CHECK_NOT_IMPLEMENTED(!layout || *layout == at::kStrided,
                              "acpu: only strided tensors are supported, but found layout ",
                              *layout);
}

// In deterministic mode LibTorch fills memory that a program may read uninitialised.
bool fills_uninitialized_memory() {
  const at::Context& context = at::globalContext();
  return context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory();
}

at::Tensor filled_if_deterministic(at::Tensor tensor) {
  if (fills_uninitialized_memory() && !ShapeProbe::is_present())
    at::native::fill_empty_deterministic_(tensor);
  return tensor;
}

c10::Allocator* present_allocator() {
  return ShapeProbe::is_present() ? ShapeProbe::allocator() : c10::GetAllocator(c10::kPrivateUse1);
}

at::Tensor empty(c10::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool>, std::optional<at::MemoryFormat> format) {
  check_options(layout, device);
  return filled_if_deterministic(at::detail::empty_generic(sizes, present_allocator(), kKeys,
                                                           c10::dtype_or_default(dtype), format));
}

at::Tensor empty_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool>) {
  check_options(layout, device);
  return filled_if_deterministic(at::detail::empty_strided_generic(
      sizes, strides, present_allocator(), kKeys, c10::dtype_or_default(dtype)));
}

// A tensor of zeros without memory, which LibTorch's own kernels know how to handle.
at::Tensor efficient_zero_tensor(c10::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                                 std::optional<bool>) {
  check_options(layout, device);
  at::native::ZeroTensorAllocator no_memory(c10::Device(c10::kPrivateUse1, 0));
  return at::detail::empty_generic(sizes, &no_memory,
                                   kKeys | c10::DispatchKeySet(c10::DispatchKey::ZeroTensor),
                                   c10::dtype_or_default(dtype), std::nullopt);
}

const at::Tensor& resize(const at::Tensor& self, c10::IntArrayRef sizes,
                         std::optional<at::MemoryFormat> format) {
  if (self.sizes() != sizes) {
    self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
    const std::uint64_t bytes = at::detail::computeStorageNbytesContiguous(
        sizes, self.dtype().itemsize(), static_cast<std::size_t>(self.storage_offset()));
    const std::size_t before = self.storage().nbytes();
    if (self.numel() != 0 && bytes > before) resize_storage(self.storage(), bytes);
    if (fills_uninitialized_memory()) {
      at::native::fill_resize_deterministic_(self, static_cast<std::int64_t>(before));
    }
  }
  if (format) self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  return self;
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source, std::int64_t offset,
                        c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  at::native::checkSetStorage(self, source, offset, sizes, strides);
  const at::DimVector chosen =
      strides.data() == nullptr ? c10::contiguous_strides(sizes) : at::DimVector(strides);
  const std::size_t bytes = at::detail::computeStorageNbytes(sizes, chosen, self.dtype().itemsize(),
                                                             static_cast<std::size_t>(offset));
  if (bytes > source.nbytes()) resize_storage(source, bytes);
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(std::move(source));
  impl->set_sizes_and_strides(sizes, chosen, offset);
  return self;
}

at::Tensor& set_whole_storage(at::Tensor& self, at::Storage source) {
  const auto count = static_cast<std::int64_t>(source.nbytes() / self.itemsize());
  return set_storage(self, std::move(source), 0, count, {});
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sizes(),
                     source.strides());
}

at::Tensor& set_empty(at::Tensor& self) { return set_tensor(self, at::empty({0}, self.options())); }

// LibTorch lets a tensor take over another's data (Tensor::set_data, and so Module::to, clone and
// load) between the device types that it lists; tensors of this device are plain strided tensors
// too.
bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from) {
  const auto is_plain = [](const at::Tensor& tensor) {
    return tensor.layout() == at::kStrided && (tensor.is_cpu() || tensor.is_privateuseone());
  };
  return is_plain(self) && is_plain(from);
}

// An operation in flight keeps what it uses, whatever its stream.
void record_stream(at::Tensor& self, c10::Stream stream) {
  Runtime::get().caching.record_stream(block_of(self).pool_memory(), stream.id());
}

// The CPU's own composition, drawing from the device's generator. The mask has the input's layout
// and is drawn in it.
std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor& input, double probability,
                                                  std::optional<bool> is_training) {
  if (input.numel() == 0) return {input, at::empty_like(input, input.options())};
  const auto mask_options = input.options().dtype(at::kBool);
  if (is_training && !*is_training) return {input.clone(), at::ones_like(input, mask_options)};
  const double keep = 1 - probability;
  at::Tensor mask = at::empty_like(input, mask_options).bernoulli_(keep);
  // The scale is rounded to the dtype of the input, as the CPU does.
  const at::Tensor factors = mask.to(input.scalar_type()).mul_(keep == 0 ? 0.0 : 1 / keep);
  return {input.mul(factors), mask};
}

}  // namespace

void resize_storage(const c10::Storage& storage, std::uint64_t bytes) {
  Runtime& runtime = Runtime::get();
  c10::StorageImpl* impl = storage.unsafeGetStorageImpl();
  TORCH_CHECK(impl->resizable(), "Trying to resize storage that is not resizable");
  TORCH_CHECK(static_cast<std::int64_t>(bytes) >= 0, "a storage cannot have ",
              static_cast<std::int64_t>(bytes), " bytes");
  c10::DataPtr resized = c10::GetAllocator(c10::kPrivateUse1)->allocate(bytes);
  Block& target = Block::of(resized);
  Block& source = Block::of(storage.data_ptr());
  if (!source.is_blank()) {
    Accesses accesses;
    name_block(accesses, source, engine::AccessMode::kRead);
    name_block(accesses, target, engine::AccessMode::kOverwrite);
    issue(runtime, "resize_", std::move(accesses), [from = &source, to = &target] {
      std::memcpy(to->memory(), from->memory(), std::min(from->size_bytes(), to->size_bytes()));
    });
  }
  impl->set_data_ptr_noswap(std::move(resized));
  impl->set_nbytes(bytes);
}

void register_tensor_kernels(torch::Library& library) {
  library.impl("empty.memory_format", TORCH_FN(empty));
  library.impl("empty_strided", TORCH_FN(empty_strided));
  library.impl("_efficientzerotensor", TORCH_FN(efficient_zero_tensor));
  library.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  library.impl("view", TORCH_FN(at::native::view));
  library.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  library.impl("resize_", TORCH_FN(resize));
  library.impl("set_.source_Storage", TORCH_FN(set_whole_storage));
  library.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
  library.impl("set_.source_Tensor", TORCH_FN(set_tensor));
  library.impl("set_", TORCH_FN(set_empty));
  library.impl("_has_compatible_shallow_copy_type", TORCH_FN(has_compatible_shallow_copy_type));
  library.impl("record_stream", TORCH_FN(record_stream));
  library.impl("native_dropout", TORCH_FN(native_dropout));
}

}  // namespace runahead::device
