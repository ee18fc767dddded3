#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/GeneratorImpl.h>

#include <atomic>
#include <functional>

#include "core/engine/variable.h"

namespace runahead::device {

/// The device's random number generator. Operations draw from a CPU generator behind it, ordered by
/// a variable of its own: numbers depend on the order of issue, never on workers or timing. Seeding
/// is an operation too and does not wait; reading the state does. A failed draw leaves the
/// generator usable, in the state in which LibTorch's kernel left it.
class GeneratorImpl final : public c10::GeneratorImpl {
 public:
  explicit GeneratorImpl(at::Generator host_generator);

  void set_current_seed(std::uint64_t seed) override;
  /// The state has no offset: it is always 0, which Python pickles along with the state.
  /// @throws c10::NotImplementedError for any other.
  void set_offset(std::uint64_t offset) override;
  [[nodiscard]] std::uint64_t get_offset() const override;
  [[nodiscard]] std::uint64_t current_seed() const override;
  std::uint64_t seed() override;
  void set_state(const c10::TensorImpl& state) override;
  [[nodiscard]] c10::intrusive_ptr<c10::TensorImpl> get_state() const override;

  /// The generator that kernels draw from; only operations that write `variable()` may use it.
  [[nodiscard]] const at::Generator& host_generator() const noexcept { return host_generator_; }
  [[nodiscard]] const engine::VariablePtr& variable() const noexcept { return variable_; }

  /// The device's generator behind a handle. @throws c10::Error if it is another device's.
  [[nodiscard]] static GeneratorImpl& of(const at::Generator& generator);

 private:
  [[nodiscard]] GeneratorImpl* clone_impl() const override;
  /// Returns what `use` returns, which runs between the draws and seedings issued before and after.
  /// Waits for it. @throws what `use` throws. Failed draws do not matter: reads of what they should
  /// have written throw.
  template <typename Result>
  Result run_in_order(const char* name, std::function<Result(at::Generator&)> use) const;

  at::Generator host_generator_;
  engine::VariablePtr variable_ = engine::make_variable();
  std::atomic<std::uint64_t> seed_{c10::default_rng_seed_val};
};

/// A new generator of the device with LibTorch's default seed.
[[nodiscard]] at::Generator make_generator();

}  // namespace runahead::device
