#include "core/cuda/active_allocator.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <exception>

namespace runahead::cuda {

std::optional<std::string> active_allocator() {
  return c10::cuda::CUDACachingAllocator::get()->name();
}

bool is_native_allocator() noexcept {
  try {
    return c10::cuda::CUDACachingAllocator::get()->name() == "native";
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace runahead::cuda
