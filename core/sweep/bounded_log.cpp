#include "core/sweep/bounded_log.h"

#include <algorithm>

#include "core/base/text.h"

namespace runahead::sweep {

namespace {
constexpr std::size_t kLastSeenBytes = 4096;
constexpr std::size_t kLastLineBytes = 500;
}  // namespace

BoundedLog::BoundedLog(const std::filesystem::path& path, std::uint64_t head_bytes,
                       std::uint64_t tail_bytes)
    : file_(path, std::ios::binary | std::ios::trunc),
      head_left_bytes_(head_bytes),
      tail_bytes_(tail_bytes) {}

void BoundedLog::append(std::string_view text) {
  if (is_closed_) return;
  last_seen_.append(text.substr(text.size() - std::min(text.size(), kLastSeenBytes)));
  if (last_seen_.size() > kLastSeenBytes) last_seen_.erase(0, last_seen_.size() - kLastSeenBytes);
  if (!file_.is_open()) return;

  const auto head = std::min<std::uint64_t>(text.size(), head_left_bytes_);
  file_.write(text.data(), static_cast<std::streamsize>(head));
  if (head > 0) file_.flush();
  head_left_bytes_ -= head;
  tail_.append(text.substr(head));
  if (tail_.size() > 2 * tail_bytes_) trim_tail();
}

void BoundedLog::close() {
  is_closed_ = true;
  if (!file_.is_open()) return;
  trim_tail();
  if (left_out_bytes_ > 0) file_ << "\n[" << left_out_bytes_ << " bytes left out]\n";
  file_ << tail_;
  file_.close();
  is_whole_ = left_out_bytes_ == 0 && file_.good();
}

std::string BoundedLog::last_line() const {
  return std::string(end_of(runahead::last_line(last_seen_), kLastLineBytes));
}

void BoundedLog::trim_tail() {
  if (tail_.size() <= tail_bytes_) return;
  const std::uint64_t surplus = tail_.size() - tail_bytes_;
  tail_.erase(0, surplus);
  left_out_bytes_ += surplus;
}

}  // namespace runahead::sweep
