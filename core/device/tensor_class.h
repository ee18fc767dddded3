#pragma once

#include <cstddef>
#include <cstdint>

namespace runahead::device {

/// What memory is for, as the code that has tensors made says: the device cannot tell.
enum class TensorClass : std::uint8_t {
  kOther,           ///< Nobody said.
  kParameters,      ///< Parameters and buffers of a module.
  kGradients,       ///< Made by a backward pass: of parameters and of activations.
  kOptimizerState,  ///< Made by an optimiser's step.
  kActivations,     ///< Made by a forward pass and its loss.
  kInputs,          ///< Batches: inputs and targets.
};
inline constexpr std::size_t kTensorClasses = 6;

/// While it lives, what is allocated on `acpu` counts as of one class, whichever thread allocates
/// it (autograd's threads allocate for the thread that called backward). Scopes nest. For one
/// front-end thread at a time: with several, the last scope opened holds for all. Never blocks;
/// without the device it does nothing.
class TensorClassScope {
 public:
  explicit TensorClassScope(TensorClass tensor_class) noexcept;
  ~TensorClassScope();
  TensorClassScope(const TensorClassScope&) = delete;
  TensorClassScope& operator=(const TensorClassScope&) = delete;

 private:
  TensorClass before_;
};

}  // namespace runahead::device
