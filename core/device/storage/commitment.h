#pragma once

#include <cstdint>
#include <utility>

namespace runahead::device {

class Runtime;

/// Bytes that count as committed while it lives: for memory that the front end is about to take
/// itself, at issue. For front-end threads; any thread may destroy it.
class Commitment {
 public:
  /// Blocks while the run-ahead limit does not admit them.
  Commitment(Runtime& runtime, std::uint64_t bytes);
  Commitment(const Commitment&) = delete;
  Commitment& operator=(const Commitment&) = delete;
  ~Commitment();

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Changes the bytes. Blocks as the constructor does if they are more.
  void resize(std::uint64_t bytes);
  /// Leaves them to who has the memory now.
  void hand_over() noexcept { bytes_ = 0; }

 private:
  void give_back(std::uint64_t bytes) noexcept;

  Runtime& runtime_;
  std::uint64_t bytes_;
};

}  // namespace runahead::device
