#include "core/device/torch/hooks.h"

#include <ATen/core/CachingHostAllocator.h>

#include "core/device/torch/generator.h"
#include "core/device/torch/guard.h"
#include "core/device/torch/pinned_allocator.h"
#include "core/device/torch/registrations.h"

namespace runahead::device {

const at::Generator& Hooks::getDefaultGenerator(c10::DeviceIndex index) const {
  require_index(index);
  return runtime_.default_generator;
}

at::Generator Hooks::getNewGenerator(c10::DeviceIndex index) const {
  require_index(index);
  return make_generator();
}

at::Allocator* Hooks::getPinnedMemoryAllocator() const { return &pinned_allocator(); }

at::Device Hooks::getDeviceFromPtr(void* /*data*/) const {
  C10_THROW_ERROR(NotImplementedError,
                  "acpu: memory from elsewhere can't become a tensor of the device; make a tensor "
                  "on cpu of it and copy that with .to(\"acpu\")");
}

bool Hooks::isPinnedPtr(const void* data) const { return is_pinned(data); }

void Hooks::resizePrivateUse1Bytes(const c10::Storage& storage, std::size_t bytes) const {
  resize_storage(storage, bytes);
}

}  // namespace runahead::device
