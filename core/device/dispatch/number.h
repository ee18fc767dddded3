#pragma once

#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Half.h>
#include <c10/util/TypeCast.h>

#include <cstdint>
#include <optional>

namespace runahead::device {

/// A real number as operators take it, small and trivially copyable (a c10::Scalar is neither).
class Number {
 public:
  /// nullopt for complex and symbolic numbers, and for integers beyond 64 bits with a sign.
  [[nodiscard]] static std::optional<Number> of(const c10::Scalar& scalar) {
    if (scalar.isFloatingPoint() && !scalar.isSymbolic()) return Number(scalar.toDouble());
    if (scalar.isIntegral(/*includeBool=*/false) && !scalar.isSymbolic() &&
        scalar.type() != at::kUInt64) {
      return Number(scalar.toLong());
    }
    return std::nullopt;
  }
  explicit Number(double value) noexcept : double_(value), is_integer_(false) {}
  explicit Number(std::int64_t value) noexcept : integer_(value), is_integer_(true) {}

  /// Whether kernels that convert it to `dtype`, float or double, accept it: a finite number must
  /// not become infinite.
  [[nodiscard]] bool fits(at::ScalarType dtype) const noexcept {
    return is_integer_ || dtype == at::kDouble || !c10::overflows<float, double>(double_);
  }

  template <typename Float>
  [[nodiscard]] Float as() const noexcept {
    return is_integer_ ? c10::convert<Float>(integer_) : c10::convert<Float>(double_);
  }

  [[nodiscard]] c10::Scalar to_scalar() const {
    return is_integer_ ? c10::Scalar(integer_) : c10::Scalar(double_);
  }

 private:
  union {
    double double_;
    std::int64_t integer_;
  };
  bool is_integer_;
};

}  // namespace runahead::device
