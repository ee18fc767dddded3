#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace runahead::test {

/// How long a test waits for what must happen, before it fails.
inline constexpr std::chrono::seconds kTestPatience{60};

/// Closed until it is opened, which is permanent. Thread-safe. Tests use it instead of sleeps to
/// hold an operation at a chosen point.
class Gate {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      is_open_ = true;
    }
    opened_.notify_all();
  }

  /// Blocks until the gate is open. @throws std::runtime_error after kTestPatience.
  void pass() {
    std::unique_lock lock(mutex_);
    if (!opened_.wait_for(lock, kTestPatience, [this] { return is_open_; })) {
      throw std::runtime_error("a gate was not opened in time");
    }
  }

  [[nodiscard]] bool is_open() {
    const std::lock_guard lock(mutex_);
    return is_open_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

}  // namespace runahead::test
