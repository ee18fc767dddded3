#include "core/train/prefetch_source.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>

#include <cstdint>
#include <vector>

#include "core/device/storage/tensor_class.h"

namespace runahead::train {
namespace {

/// The source itself chooses the examples of its batches.
std::vector<std::int64_t> choose_none(std::int64_t /*batch*/) { return {}; }

BatchLoader::Make take_from(BatchSource& source) {
  return [&source, settings = at::ThreadLocalState()](const std::vector<std::int64_t>&) {
    const at::ThreadLocalStateGuard as_the_front_end(settings);
    const device::ThreadTensorClassScope inputs(device::TensorClass::kInputs);
    return source.next();
  };
}

}  // namespace

PrefetchSource::PrefetchSource(BatchSource& source, const PrefetchOptions& options)
    : loader_({.ahead = options.ahead,
               .intra_op_threads = at::get_num_threads(),
               .end = options.batches},
              0, choose_none, take_from(source)) {}

}  // namespace runahead::train
