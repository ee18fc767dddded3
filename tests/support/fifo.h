#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace runahead::test {

/// A named pipe through which a process under test tells how far it has come, and by whose end its
/// death is seen.
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

  /// The next line, without its end. @throws std::runtime_error if none comes in time.
  std::string read_line() {
    std::string line;
    for (char byte = 0;;) {
      wait_for(POLLIN, "no line came");
      const ssize_t count = ::read(descriptor_, &byte, 1);
      if (count == 0 || (count < 0 && errno == EAGAIN)) continue;
      if (count < 0) throw std::runtime_error("the named pipe could not be read");
      if (byte == '\n') return line;
      line += byte;
    }
  }

  /// Blocks until every process that had it open for writing is gone.
  /// @throws std::runtime_error if one is still there in the end.
  void wait_for_last_writer() {
    while ((wait_for(POLLIN | POLLHUP, "a writer is still there") & POLLHUP) == 0) {
      char ignored[256];
      if (::read(descriptor_, ignored, sizeof ignored) < 0 && errno != EAGAIN) {
        throw std::runtime_error("the named pipe could not be read");
      }
    }
  }

 private:
  static constexpr int kPatienceMilliseconds = 30'000;

  short wait_for(int events, const char* complaint) {
    pollfd entry{.fd = descriptor_, .events = static_cast<short>(events), .revents = 0};
    if (::poll(&entry, 1, kPatienceMilliseconds) <= 0) throw std::runtime_error(complaint);
    return entry.revents;
  }

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace runahead::test
