#include "core/train/batch_loader.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <string>
#include <system_error>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/error.h"

namespace runahead::train {

BatchLoader::BatchLoader(const Options& options, std::int64_t first, Choose choose, Make make)
    : options_(options),
      choose_(std::move(choose)),
      make_(std::move(make)),
      begun_(first),
      taken_(first) {
  RUNAHEAD_REQUIRE(options.threads >= 1 && options.ahead >= 1,
                   "a loader needs a thread, and room for a batch of each");
  RUNAHEAD_REQUIRE(options.end > first, "a loader needs a batch to make");
  try {
    for (std::size_t index = 0; index < options.threads; ++index) {
      threads_.emplace_back([this] { prepare(); });
    }
  } catch (const std::system_error&) {  // The system has no room for so many threads.
    stop();
    throw;
  }
}

BatchLoader::~BatchLoader() { stop(); }

void BatchLoader::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Batch BatchLoader::next() {
  std::unique_lock lock(mutex_);
  RUNAHEAD_REQUIRE(taken_ < options_.end,
                   "all " + std::to_string(options_.end) + " batches were taken");
  changed_.wait(lock, [this] { return ready_.contains(taken_); });
  if (const auto& failure = ready_.at(taken_).failure) std::rethrow_exception(failure);
  Batch batch = std::move(ready_.at(taken_).batch);
  ready_.erase(taken_++);
  lock.unlock();
  changed_.notify_all();
  return batch;
}

void BatchLoader::use_cpus() const {
  if (options_.cpus.empty()) return;
  try {
    restrict_calling_thread(options_.cpus);
  } catch (const UnavailableError&) {  // All were taken away meanwhile: it keeps those it has.
  }
}

void BatchLoader::prepare() {
  use_cpus();
  at::set_num_threads(options_.intra_op_threads);
  const torch::NoGradGuard no_grad;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_stopping_ || has_room(); });
    if (is_stopping_) return;
    const std::int64_t batch = begun_++;
    Result result = result_of(batch, lock);
    is_stopping_ |= result.failure != nullptr;
    ready_.emplace(batch, std::move(result));
    changed_.notify_all();
  }
}

/// Requires the lock; releases it while the batch is made.
BatchLoader::Result BatchLoader::result_of(std::int64_t batch,
                                           std::unique_lock<std::mutex>& lock) const {
  Result result;
  try {
    const std::vector<std::int64_t> examples = choose_(batch);
    lock.unlock();
    result.batch = make_(examples);
  } catch (...) {
    result.failure = std::current_exception();
  }
  if (!lock.owns_lock()) lock.lock();
  return result;
}

bool BatchLoader::has_room() const {
  return begun_ < options_.end &&
         begun_ - taken_ < static_cast<std::int64_t>(options_.threads * options_.ahead);
}

}  // namespace runahead::train
