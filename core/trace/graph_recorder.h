#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/engine/observer.h"
#include "core/engine/operation.h"
#include "core/trace/dependency_graph.h"

namespace runahead::trace {

/// An observer that records the dependencies of operations and when they run. Off until start().
/// While recording, it keeps every variable it has seen alive, so that none is mistaken for a later
/// one at the same address; resources of these variables stay allocated. Thread-safe.
class GraphRecorder final : public engine::Observer {
 public:
  static constexpr std::size_t kMostOperations = 100'000;

  /// Discards what was recorded and starts recording. Nothing may be in flight.
  void start();
  /// Stops recording and releases the variables on the calling thread. Nothing may be in flight.
  [[nodiscard]] DependencyGraph stop();

  void on_push(const engine::OperationEvent& event) noexcept override;
  void on_start(const engine::OperationEvent& event) noexcept override;
  void on_finish(const engine::OperationEvent& event) noexcept override;

 private:
  /// The operations that a later one on this variable may have to wait for.
  struct Uses {
    engine::VariablePtr kept{};
    bool is_written = false;
    std::size_t last_write = 0;
    std::vector<std::size_t> reads_since{};
  };

  void add(const engine::OperationEvent& event);
  void add_access(const engine::Access& access, std::size_t operation);
  void depend(std::size_t before, std::size_t after, Hazard hazard);
  [[nodiscard]] GraphOperation* find(std::uint64_t sequence) noexcept;

  std::mutex mutex_{};
  bool is_recording_ = false;
  DependencyGraph graph_{};
  std::unordered_map<std::uint64_t, std::size_t> index_of_{};  ///< By sequence.
  std::unordered_map<const engine::Variable*, Uses> uses_{};
};

}  // namespace runahead::trace
