#pragma once

#include <c10/util/Exception.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace runahead::device {

/// Warnings of kernels that occur on a worker and that the front end emits at its next wait: there
/// they reach the program's own handler, such as Python's `warnings`. Thread-safe; when kCapacity
/// are waiting, further ones go to LibTorch's handler at once.
class DeferredWarnings final : public c10::WarningHandler {
 public:
  static constexpr std::size_t kCapacity = 64;

  /// For workers, whose warning handler this is.
  void process(const c10::Warning& warning) override;
  /// For front-end threads. @throws what the program turns a warning into.
  void emit();

 private:
  std::mutex mutex_{};
  std::vector<c10::Warning> waiting_{};
  std::atomic<bool> has_any_{false};
};

}  // namespace runahead::device
