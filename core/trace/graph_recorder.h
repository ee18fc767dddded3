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

/// Records what operations depend on, and when they run; an observer of an engine. Off until
/// start(). While it records it keeps every variable that it has seen: so none is taken for another
/// that was made in its place, and what a variable carries stays. Thread-safe.
class GraphRecorder final : public engine::Observer {
 public:
  static constexpr std::size_t kMostOperations = 100'000;

  /// Forgets what was recorded and records from now on. Nothing may be in flight.
  void start();
  /// Ends the recording and lets the variables go, on the calling thread. Nothing may be in flight.
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
