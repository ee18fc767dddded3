#include "core/engine/finish_window.h"

#include <bit>
#include <utility>

namespace runahead::engine {
namespace {

constexpr std::size_t kLeastCapacity = 1024;

}  // namespace

FinishWindow::FinishWindow() : is_finished_(kLeastCapacity, false) {}

bool FinishWindow::is_finished(std::uint64_t sequence) const noexcept {
  if (sequence < oldest_) return true;
  return sequence - oldest_ < capacity() && is_finished_[index_of(sequence)];
}

void FinishWindow::reserve(std::uint64_t sequence) {
  if (sequence < oldest_ || sequence - oldest_ < capacity()) return;
  std::vector<bool> larger(std::bit_ceil(static_cast<std::size_t>(sequence - oldest_ + 1)), false);
  for (std::uint64_t number = oldest_; number - oldest_ < capacity(); ++number) {
    larger[static_cast<std::size_t>(number & (larger.size() - 1))] = is_finished_[index_of(number)];
  }
  is_finished_ = std::move(larger);
}

std::uint64_t FinishWindow::oldest_after(std::uint64_t sequence) const noexcept {
  std::uint64_t oldest = oldest_;
  while (oldest == sequence || is_finished_[index_of(oldest)]) ++oldest;
  return oldest;
}

void FinishWindow::finish(std::uint64_t sequence) noexcept {
  if (sequence != oldest_) {
    is_finished_[index_of(sequence)] = true;
    return;
  }
  ++oldest_;
  while (is_finished_[index_of(oldest_)]) {
    is_finished_[index_of(oldest_)] = false;
    ++oldest_;
  }
}

}  // namespace runahead::engine
