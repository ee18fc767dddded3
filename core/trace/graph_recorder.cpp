#include "core/trace/graph_recorder.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "core/engine/observed_accesses.h"

namespace runahead::trace {
namespace {

constexpr std::size_t kDescriptionRoom = 95;

std::string operands_of(const engine::OperationEvent& event) {
  if (event.body == nullptr) return {};
  std::array<char, kDescriptionRoom> text{};
  return {text.data(), event.body->describe(text)};
}

}  // namespace

void GraphRecorder::start() {
  static_cast<void>(stop());
  const std::lock_guard lock(mutex_);
  is_recording_ = true;
}

DependencyGraph GraphRecorder::stop() {
  std::unordered_map<const engine::Variable*, Uses> let_go;  // Destroyed after the lock.
  const std::lock_guard lock(mutex_);
  is_recording_ = false;
  index_of_.clear();
  uses_.swap(let_go);
  return std::exchange(graph_, DependencyGraph{});
}

void GraphRecorder::on_push(const engine::OperationEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_recording_) return;
  try {
    add(event);
  } catch (const std::exception&) {
    ++graph_.left_out;
  }
}

void GraphRecorder::add(const engine::OperationEvent& event) {
  if (graph_.operations.size() == kMostOperations) {
    ++graph_.left_out;
    return;
  }
  const std::vector<engine::Access> accesses = engine::accesses_of(event);
  const std::size_t operation = graph_.operations.size();
  graph_.operations.push_back({.name = std::string(event.name), .operands = operands_of(event)});
  index_of_.emplace(event.sequence, operation);
  for (const engine::Access& access : accesses) add_access(access, operation);
}

void GraphRecorder::add_access(const engine::Access& access, std::size_t operation) {
  Uses& uses = uses_[access.variable.get()];
  uses.kept = access.variable;
  if (access.mode == engine::AccessMode::kRead) {
    if (uses.is_written) depend(uses.last_write, operation, Hazard::kReadAfterWrite);
    uses.reads_since.push_back(operation);
    return;
  }
  for (const std::size_t read : uses.reads_since) depend(read, operation, Hazard::kWriteAfterRead);
  const bool is_change = access.mode != engine::AccessMode::kOverwrite;
  if (uses.is_written && (is_change || uses.reads_since.empty())) {
    depend(uses.last_write, operation,
           is_change ? Hazard::kReadAfterWrite : Hazard::kWriteAfterWrite);
  }
  uses.is_written = true;
  uses.last_write = operation;
  uses.reads_since.clear();
}

void GraphRecorder::depend(std::size_t before, std::size_t after, Hazard hazard) {
  // The dependencies of the current operation are contiguous at the end.
  const auto same = std::find_if(graph_.dependencies.rbegin(), graph_.dependencies.rend(),
                                 [before, after](const Dependency& dependency) {
                                   return dependency.after != after || dependency.before == before;
                                 });
  const bool is_there = same != graph_.dependencies.rend() && same->after == after;
  if (!is_there) {
    graph_.dependencies.push_back({.before = before, .after = after, .hazard = hazard});
  } else if (hazard == Hazard::kReadAfterWrite) {
    same->hazard = hazard;
  }
}

GraphOperation* GraphRecorder::find(std::uint64_t sequence) noexcept {
  const auto found = index_of_.find(sequence);
  return found == index_of_.end() ? nullptr : &graph_.operations[found->second];
}

void GraphRecorder::on_start(const engine::OperationEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  if (GraphOperation* const operation = find(event.sequence)) {
    operation->begun = event.time;
    operation->worker = event.worker;
  }
}

void GraphRecorder::on_finish(const engine::OperationEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  if (GraphOperation* const operation = find(event.sequence)) operation->ended = event.time;
}

}  // namespace runahead::trace
