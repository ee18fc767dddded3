#pragma once

#include <memory>
#include <stop_token>

#include "core/base/clock.h"

namespace runahead::memory {

/// The clock of a sampling thread, and how the thread waits. Tests substitute a clock that they
/// step.
class Ticker {
 public:
  virtual ~Ticker() = default;

  [[nodiscard]] virtual TimePoint now() noexcept = 0;

  /// Blocks until `deadline` is reached or a stop is requested; returns immediately if the deadline
  /// has passed.
  virtual void wait_until(TimePoint deadline, const std::stop_token& stop) noexcept = 0;
};

/// Real time. Wakes within about 10 µs on a free CPU; notices a stop within 20 ms.
[[nodiscard]] std::unique_ptr<Ticker> make_steady_ticker();

}  // namespace runahead::memory
