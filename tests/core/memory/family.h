#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace runahead::memory::test {

/// A child of this process that has a child of its own with a resident block; ends with the object.
class Family {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 20;

  Family() {
    if (::pipe(ready_) != 0 || ::pipe(end_) != 0) std::abort();
    child_ = ::fork();
    if (child_ != 0) {
      ::close(end_[0]);
      char byte = 0;
      static_cast<void>(!::read(ready_[0], &byte, 1));
      return;
    }
    ::close(end_[1]);
    const pid_t grandchild = ::fork();
    if (grandchild == 0) be_grandchild();
    ::waitpid(grandchild, nullptr, 0);
    ::_exit(0);
  }
  ~Family() {
    end();
    for (const int descriptor : {ready_[0], ready_[1]}) ::close(descriptor);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  [[nodiscard]] pid_t child() const { return child_; }

  /// Ends both and collects the child.
  void end() {
    if (child_ < 0) return;
    ::close(end_[1]);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  [[noreturn]] void be_grandchild() const {
    void* block =
        ::mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) ::_exit(1);
    std::memset(block, 1, kBlockBytes);
    char byte = 1;
    static_cast<void>(!::write(ready_[1], &byte, 1));
    static_cast<void>(!::read(end_[0], &byte, 1));  // Until the object ends.
    ::_exit(0);
  }

  int ready_[2] = {-1, -1};
  int end_[2] = {-1, -1};
  pid_t child_ = -1;
};

}  // namespace runahead::memory::test
