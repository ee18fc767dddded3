#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_set>

namespace runahead::device {

/// A set of hashes that only grows, up to a bound beyond which it claims to contain every hash.
/// Thread-safe.
class KernelVariants {
 public:
  [[nodiscard]] bool contains(std::size_t hash) const {
    const std::lock_guard lock(mutex_);
    return hashes_.size() >= kMost || hashes_.count(hash) != 0;
  }
  void add(std::size_t hash) {
    const std::lock_guard lock(mutex_);
    if (hashes_.size() < kMost) hashes_.insert(hash);
  }

 private:
  static constexpr std::size_t kMost = 4096;

  mutable std::mutex mutex_{};
  std::unordered_set<std::size_t> hashes_{};
};

}  // namespace runahead::device
