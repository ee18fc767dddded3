#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace runahead::device {

/// What memory is for, as declared by the code that creates tensors: the device cannot know.
enum class TensorClass : std::uint8_t {
  kOther,           ///< Not declared.
  kParameters,      ///< Parameters and buffers of a module.
  kGradients,       ///< Made by a backward pass: of parameters and of activations.
  kOptimizerState,  ///< Made by an optimiser's step.
  kActivations,     ///< Made by a forward pass and its loss.
  kInputs,          ///< Batches: inputs and targets.
};
inline constexpr std::size_t kTensorClasses = 6;

/// While it lives, everything allocated on `acpu` counts in one class, whichever thread allocates
/// it. Scopes nest. For one front-end thread at a time: with several, the last scope opened applies
/// to all. Never blocks; without the device it does nothing.
class TensorClassScope {
 public:
  explicit TensorClassScope(TensorClass tensor_class) noexcept;
  ~TensorClassScope();
  TensorClassScope(const TensorClassScope&) = delete;
  TensorClassScope& operator=(const TensorClassScope&) = delete;

 private:
  TensorClass before_;
};

/// The same for allocations of the calling thread alone, regardless of the scopes of others: for a
/// thread that issues operations alongside the front end, such as one that prepares batches.
class ThreadTensorClassScope {
 public:
  explicit ThreadTensorClassScope(TensorClass tensor_class) noexcept;
  ~ThreadTensorClassScope();
  ThreadTensorClassScope(const ThreadTensorClassScope&) = delete;
  ThreadTensorClassScope& operator=(const ThreadTensorClassScope&) = delete;

 private:
  std::optional<TensorClass> before_;
};

/// The class of memory that this thread allocates now, and whether any thread has its own class.
class PresentTensorClass {
 public:
  [[nodiscard]] TensorClass get() const noexcept {
    const bool has_own = threads_with_own_.load(std::memory_order_relaxed) != 0;
    return has_own ? of_this_thread() : shared_.load(std::memory_order_relaxed);
  }
  /// @return the previous class.
  TensorClass exchange(TensorClass tensor_class) noexcept { return shared_.exchange(tensor_class); }

  void begin_own() noexcept { threads_with_own_.fetch_add(1); }
  void end_own() noexcept { threads_with_own_.fetch_sub(1); }

 private:
  [[nodiscard]] TensorClass of_this_thread() const noexcept;

  std::atomic<TensorClass> shared_{TensorClass::kOther};
  std::atomic<int> threads_with_own_{0};
};

}  // namespace runahead::device
