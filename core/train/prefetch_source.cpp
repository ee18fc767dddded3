#include "core/train/prefetch_source.h"

#include <ATen/Parallel.h>

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/device/storage/tensor_class.h"

namespace runahead::train {
namespace {

PrefetchOptions checked(PrefetchOptions options) {
  RUNAHEAD_REQUIRE(options.ahead >= 1, "prefetching 0 batches ahead: at least 1 must be allowed");
  RUNAHEAD_REQUIRE(options.batches >= 1, "prefetching " + std::to_string(options.batches) +
                                             " batches in all, must be at least 1");
  return options;
}

}  // namespace

PrefetchSource::PrefetchSource(BatchSource& source, PrefetchOptions options)
    : source_(source),
      options_(checked(std::move(options))),
      thread_([this, settings = at::ThreadLocalState(), threads = at::get_num_threads()] {
        at::set_num_threads(threads);
        prepare(settings);
      }) {}

PrefetchSource::~PrefetchSource() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Batch PrefetchSource::next() {
  RUNAHEAD_REQUIRE(taken_ < options_.batches,
                   "all " + std::to_string(options_.batches) + " prefetched batches were taken");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty() || failure_ != nullptr; });
  if (ready_.empty()) std::rethrow_exception(failure_);
  Batch batch = std::move(ready_.front());
  ready_.pop_front();
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  return batch;
}

void PrefetchSource::prepare(const at::ThreadLocalState& settings) noexcept {
  try {
    const at::ThreadLocalStateGuard as_the_front_end(settings);
    const device::ThreadTensorClassScope inputs(device::TensorClass::kInputs);
    if (options_.on_start) options_.on_start();
    for (std::int64_t i = 0; i < options_.batches && wait_for_room(); ++i) {
      Batch batch = source_.next();
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(batch));
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

/// @return false when nothing more is wanted.
bool PrefetchSource::wait_for_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_stopping_ || ready_.size() < options_.ahead; });
  return !is_stopping_;
}

}  // namespace runahead::train
