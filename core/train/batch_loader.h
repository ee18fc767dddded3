#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/train/batch.h"

namespace runahead::train {

/// Prepares batches on its own threads, and returns them in order: the queue before the device's
/// queue.
class BatchLoader {
 public:
  struct Options {
    std::size_t threads = 1;   ///< >= 1.
    std::size_t ahead = 2;     ///< Batches per thread that may be ready or being made; >= 1.
    int intra_op_threads = 1;  ///< For each operation of a thread.
    std::vector<int> cpus{};   ///< Of the threads; empty: those of the thread that starts them.
    /// No batch from this one on is made.
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
  };
  /// Chooses the examples of a batch. Called for one batch after another, by one thread at a time.
  using Choose = std::function<std::vector<std::int64_t>(std::int64_t batch)>;
  /// Makes a batch of the examples. Called by several threads at once.
  using Make = std::function<Batch(const std::vector<std::int64_t>& examples)>;

  /// Starts preparing the batches from `first` on. @throws UsageError if an option is out of range.
  BatchLoader(const Options& options, std::int64_t first, Choose choose, Make make);

  /// Stops the threads; blocks until the batches being made are done, and drops them.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch; blocks until it is ready. For a single thread.
  /// @throws what `choose` or `make` threw for it, and again on every later call: after an
  /// exception no more batches are begun. UsageError for a batch from options.end on.
  Batch next();

 private:
  /// A batch, or the exception instead of it.
  struct Result {
    Batch batch{};
    std::exception_ptr failure{};
  };

  void prepare();
  void use_cpus() const;
  void stop();  ///< Joins the threads.
  [[nodiscard]] Result result_of(std::int64_t batch, std::unique_lock<std::mutex>& lock) const;
  [[nodiscard]] bool has_room() const;

  Options options_;
  Choose choose_;
  Make make_;

  std::mutex mutex_{};  ///< Guards what follows.
  std::condition_variable changed_{};
  std::int64_t begun_;  ///< The next batch that a thread begins.
  std::int64_t taken_;  ///< The next batch that is taken.
  std::map<std::int64_t, Result> ready_{};
  bool is_stopping_ = false;

  std::vector<std::thread> threads_{};
};

}  // namespace runahead::train
