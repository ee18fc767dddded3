#pragma once

#include <memory>
#include <utility>

namespace runahead::engine {

class MarkerState;

/// A point in the order of pushes: finished once every operation pushed before it has finished.
/// Thread-safe; cheap to copy; may outlive its engine. A default-constructed one is finished.
class Marker {
 public:
  Marker() = default;
  /// For the engine.
  explicit Marker(std::shared_ptr<const MarkerState> state) noexcept : state_(std::move(state)) {}

  [[nodiscard]] bool is_finished() const noexcept;
  /// Blocks until it is finished. Errors stay with their variables.
  /// @param check  As WaitHooks::check; may be null. @throws what it throws, and nothing else.
  void wait(void (*check)() = nullptr) const;

 private:
  std::shared_ptr<const MarkerState> state_;
};

}  // namespace runahead::engine
