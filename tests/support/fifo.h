#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace runahead::test {

/// A named pipe through which a process under test reports its progress, and whose end shows that
/// the process is gone.
class Fifo {
 public:
  /// Makes the pipe at `path` and opens it for reading; a writer never blocks on opening it.
  explicit Fifo(std::filesystem::path path) : path_(std::move(path)) {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor_ < 0) throw std::runtime_error("the named pipe could not be opened");
  }
  ~Fifo() { ::close(descriptor_); }
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// The next line, without its end; writers may come and go. @throws std::runtime_error if it has
  /// not arrived before the deadline.
  std::string read_line() {
    const Clock::time_point deadline = Clock::now() + kPatience;
    std::string line;
    for (char byte = 0;;) {
      wait_for(POLLIN, deadline, "no line came");
      const ssize_t count = ::read(descriptor_, &byte, 1);
      if (count < 0 && errno != EAGAIN) {
        throw std::runtime_error("the named pipe could not be read");
      }
      if (count == 0) forget_writers();
      if (count <= 0) continue;
      if (byte == '\n') return line;
      line += byte;
    }
  }

  /// Blocks until every process that had it open for writing is gone.
  /// @throws std::runtime_error if one is still there at the deadline.
  void wait_for_last_writer() {
    const Clock::time_point deadline = Clock::now() + kPatience;
    while ((wait_for(POLLIN | POLLHUP, deadline, "a writer is still there") & POLLHUP) == 0) {
      char ignored[256];
      if (::read(descriptor_, ignored, sizeof ignored) < 0 && errno != EAGAIN) {
        throw std::runtime_error("the named pipe could not be read");
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{30};

  short wait_for(int events, Clock::time_point deadline, const char* complaint) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd entry{.fd = descriptor_, .events = static_cast<short>(events), .revents = 0};
    if (left <= 0 || ::poll(&entry, 1, static_cast<int>(left)) <= 0) {
      throw std::runtime_error(complaint);
    }
    return entry.revents;
  }

  /// Once its last writer is gone, a descriptor is always ready; a new one is so when the next one
  /// has come. The old one is there until then, so nothing that is written meanwhile is lost.
  void forget_writers() {
    const int fresh = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fresh < 0) throw std::runtime_error("the named pipe could not be opened");
    ::close(std::exchange(descriptor_, fresh));
  }

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace runahead::test
