#pragma once

#include <cstdint>

namespace runahead::device {

class Runtime;

/// Bytes that count as committed while this object lives: for memory that the front end is about to
/// allocate itself, at issue. For front-end threads; any thread may destroy it.
class Commitment {
 public:
  /// Blocks until the run-ahead limit admits them.
  Commitment(Runtime& runtime, std::uint64_t bytes);
  Commitment(const Commitment&) = delete;
  Commitment& operator=(const Commitment&) = delete;
  ~Commitment();

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Changes the number of bytes. Blocks as the constructor does if it grows.
  void resize(std::uint64_t bytes);
  /// Leaves them committed, to be freed by the new owner of the memory.
  void hand_over() noexcept { bytes_ = 0; }

 private:
  void give_back(std::uint64_t bytes) noexcept;

  Runtime& runtime_;
  std::uint64_t bytes_;
};

}  // namespace runahead::device
