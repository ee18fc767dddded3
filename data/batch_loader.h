#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/train/batch.h"

namespace runahead::data {

/// Prepares batches on the host by threads of its own, and gives them out in their order: the queue
/// before the device's queue.
class BatchLoader {
 public:
  struct Options {
    std::size_t threads = 1;  ///< >= 1.
    std::size_t ahead = 2;    ///< Batches for each thread that may be ready or in the making; >= 1.
    int intra_op_threads = 1;  ///< Of one operation of a thread.
  };
  /// The examples of a batch. Called for one batch after another, by one thread at a time.
  using Choose = std::function<std::vector<std::int64_t>(std::int64_t batch)>;
  /// Makes a batch of them, on the host. Called by several threads at once.
  using Make = std::function<train::Batch(const std::vector<std::int64_t>& examples)>;

  /// Starts to prepare the batches from `first` on. @throws UsageError for options out of range.
  BatchLoader(const Options& options, std::int64_t first, Choose choose, Make make);

  /// Ends the threads; blocks until the batches in the making are made, and drops them.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch; blocks until it is ready. For one thread.
  /// @throws what `choose` or `make` threw for it, and again in each call after that.
  train::Batch next();

 private:
  /// A batch, or why there is none.
  struct Result {
    train::Batch batch{};
    std::exception_ptr failure{};
  };

  void prepare();
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

}  // namespace runahead::data
