#pragma once

#include <c10/util/Exception.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace runahead::device {

/// Warnings of kernels, which a worker meets and the front end emits at its next wait: there they
/// go where the program wants them, to Python's `warnings` for one. Thread-safe; when kCapacity
/// wait, further ones go to LibTorch's handler at once.
class DeferredWarnings final : public c10::WarningHandler {
 public:
  static constexpr std::size_t kCapacity = 64;

  /// For workers, whose handler it is.
  void process(const c10::Warning& warning) override;
  /// For front-end threads. @throws what the program makes of a warning.
  void emit();

 private:
  std::mutex mutex_{};
  std::vector<c10::Warning> waiting_{};
  std::atomic<bool> has_any_{false};
};

}  // namespace runahead::device
