#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace runahead::device {

/// How often each operator made the front end wait for a shape. Thread-safe.
class BlockingOperators {
 public:
  void count(const std::string& name) {
    const std::lock_guard lock(mutex_);
    ++counts_[name];
  }
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    counts_.clear();
  }

 private:
  mutable std::mutex mutex_{};
  std::map<std::string, std::uint64_t> counts_{};
};

}  // namespace runahead::device
