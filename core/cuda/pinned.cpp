#include "core/cuda/pinned.h"

#include <c10/util/Exception.h>
#include <torch/types.h>

#include <string_view>

#include "core/base/bytes.h"
#include "core/base/error.h"

namespace runahead::cuda {
namespace {

// LibTorch reports this CUDA error as its general one, so only the text distinguishes it.
bool is_out_of_memory(const c10::Error& error) {
  return std::string_view(error.what_without_backtrace()).find("out of memory") !=
         std::string_view::npos;
}

}  // namespace

torch::Tensor make_pinned_like(const torch::Tensor& like) {
  try {
    return torch::empty(like.sizes(), torch::dtype(like.scalar_type()).pinned_memory(true));
  } catch (const c10::Error& error) {
    if (!is_out_of_memory(error)) throw;
    throw OutOfMemoryError(
        format_bytes(like.nbytes()) +
        " of page-locked host memory could not be had: " + error.what_without_backtrace());
  }
}

}  // namespace runahead::cuda
