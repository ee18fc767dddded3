#pragma once

#include <span>

namespace runahead {

/// Values may be in any order. @throws UsageError if `values` is empty, like all functions here.
[[nodiscard]] double mean(std::span<const double> values);

/// The middle value in order, or the mean of the two middle ones.
[[nodiscard]] double median(std::span<const double> values);

/// The value below which `percent` per cent of the values lie, interpolated linearly: with the n
/// values in order v_0 … v_{n-1} and h = (n - 1) · percent / 100, it is
/// v_⌊h⌋ + (h - ⌊h⌋) · (v_⌊h⌋₊₁ - v_⌊h⌋). Source: Hyndman and Fan 1996, definition 7 (numpy's).
/// @param percent  In [0, 100]; otherwise UsageError.
[[nodiscard]] double percentile(std::span<const double> values, double percent);

/// exp(mean(log(v))). @throws UsageError if a value is not above 0.
[[nodiscard]] double geometric_mean(std::span<const double> values);

}  // namespace runahead
