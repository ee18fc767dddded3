#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/engine/operation_body.h"

namespace runahead::device {

/// Whether a thread's floating-point unit treats subnormal inputs as zero and flushes subnormal
/// results to zero (torch::set_flush_denormal). The processor keeps it per thread, and a new thread
/// starts with its creator's. Always off on processors other than x86-64.
class FloatMode {
 public:
  /// The calling thread's.
  [[nodiscard]] static FloatMode current() noexcept;
  /// Subnormal numbers are kept.
  constexpr FloatMode() noexcept = default;

  bool operator==(const FloatMode&) const noexcept = default;

 private:
  friend class FloatModeScope;
  explicit constexpr FloatMode(std::uint32_t flags) noexcept : flags_(flags) {}

  std::uint32_t flags_ = 0;
};

/// Sets the calling thread's mode, and restores the previous one at its end.
class FloatModeScope {
 public:
  explicit FloatModeScope(FloatMode mode) noexcept;
  ~FloatModeScope();
  FloatModeScope(const FloatModeScope&) = delete;
  FloatModeScope& operator=(const FloatModeScope&) = delete;

 private:
  FloatMode before_;
};

/// The body of an operation that runs in the float mode of the thread that issued it.
struct BodyInFloatMode {
  void operator()() {
    const FloatModeScope scope(mode);
    body();
  }
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept {
    return body.describe(text);
  }
  FloatMode mode;
  engine::OperationBody body;
};

}  // namespace runahead::device
