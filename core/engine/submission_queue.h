#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace runahead::engine {

struct OperationNode;

/// Carries operations from the pushing threads to the workers, in the order of pushes: one side
/// appends while the other takes, without a lock between them. Appends must not overlap each other,
/// and neither must takes. The run-ahead limit bounds its size.
class SubmissionQueue {
 public:
  SubmissionQueue();
  ~SubmissionQueue();
  SubmissionQueue(const SubmissionQueue&) = delete;
  SubmissionQueue& operator=(const SubmissionQueue&) = delete;

  /// Makes room, so that the next append cannot fail. Called by the appending side.
  /// @throws std::bad_alloc.
  void reserve();
  /// Precondition: reserve() was called since the last append.
  void append(OperationNode& node) noexcept;

  /// Reads how far the appending side has got, which costs a transfer between CPUs. Called by the
  /// taking side.
  /// @return whether there is something to take.
  bool look() noexcept;
  /// Removes and returns the oldest operation that the last look() saw; null when all are taken.
  /// Called by the taking side.
  OperationNode* take() noexcept;
  /// Whether there is nothing to take. Thread-safe.
  [[nodiscard]] bool empty() const noexcept { return appended_.load() == taken_.load(); }

 private:
  static constexpr std::size_t kBlockSize = 255;
  struct Block {
    std::array<OperationNode*, kBlockSize> operations{};
    Block* next = nullptr;
  };

  alignas(64) std::atomic<std::uint64_t> appended_{0};
  Block* append_block_;
  std::size_t append_index_ = 0;
  std::unique_ptr<Block> reserved_block_;

  alignas(64) std::atomic<std::uint64_t> taken_{0};
  std::uint64_t appended_seen_ = 0;
  Block* take_block_;
  std::size_t take_index_ = 0;

  alignas(64) std::atomic<Block*> spare_block_{nullptr};
};

}  // namespace runahead::engine
