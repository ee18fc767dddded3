#pragma once

#include <ATen/ThreadLocalState.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "core/train/batch.h"
#include "core/train/batch_source.h"

namespace runahead::train {

struct PrefetchOptions {
  std::size_t ahead = 1;     ///< Batches that may be ready, the one in the making included; >= 1.
  std::int64_t batches = 1;  ///< That will be taken in all: no more are made; >= 1.
  std::function<void()> on_start{};  ///< Runs first, on the preparing thread; may be empty.
};

/// Prepares the batches of another source ahead, on a thread of its own, in their order: the same
/// batches as without it.
///
/// That thread is one more front end. What it issues to `acpu` is held at the run-ahead limit as
/// what the loop issues is, so the budget bounds batches prepared ahead too. It has the settings of
/// the thread that made this object: grad mode and the like, intra-op threads, the CPUs that it may
/// use. What it allocates on `acpu` counts as inputs.
class PrefetchSource final : public BatchSource {
 public:
  /// Starts to prepare. `source` must outlive this object and is the preparing thread's alone
  /// meanwhile. @throws UsageError for options out of their range.
  PrefetchSource(BatchSource& source, PrefetchOptions options);

  /// Ends the thread, and drops the batches not taken. Blocks until the batch in the making is
  /// made: as long as the source takes for one, or until the run-ahead limit lets it be issued.
  ~PrefetchSource() override;
  PrefetchSource(const PrefetchSource&) = delete;
  PrefetchSource& operator=(const PrefetchSource&) = delete;

  /// The oldest batch not taken yet; blocks until there is one. For one thread.
  /// @throws what the source threw, once the batches before were taken, and again in each call
  /// after that; UsageError for more batches than the options said.
  Batch next() override;

 private:
  void prepare(const at::ThreadLocalState& settings) noexcept;
  [[nodiscard]] bool wait_for_room();

  BatchSource& source_;
  PrefetchOptions options_;
  std::int64_t taken_ = 0;  ///< Of the taking thread.

  std::mutex mutex_{};  ///< Guards what follows.
  std::condition_variable changed_{};
  std::deque<Batch> ready_{};  ///< At most options_.ahead, oldest first.
  std::exception_ptr failure_{};
  bool is_stopping_ = false;

  std::thread thread_;
};

}  // namespace runahead::train
