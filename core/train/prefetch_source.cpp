#include "core/train/prefetch_source.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>

#include <utility>
#include <vector>

#include "core/device/storage/tensor_class.h"

namespace runahead::train {
namespace {

/// The source itself chooses the examples of its batches.
BatchLoader::Choose start_first(std::function<void()> on_start) {
  return [on_start = std::move(on_start)](std::int64_t batch) {
    if (batch == 0 && on_start) on_start();
    return std::vector<std::int64_t>();
  };
}

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
              0, start_first(options.on_start), take_from(source)) {}

}  // namespace runahead::train
