#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace runahead::fuzz {

/// A file that is nowhere on a disk, so that a target reads thousands a second and leaves none.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
    const ssize_t written = ::write(descriptor_, content.data(), content.size());
    if (written < 0 || static_cast<std::size_t>(written) != content.size()) {
      ::close(descriptor_);
      throw std::runtime_error("a memory file could not be written");
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::filesystem::path path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

  [[nodiscard]] std::uint64_t bytes() const { return std::filesystem::file_size(path()); }

 private:
  int descriptor_ = -1;
};

}  // namespace runahead::fuzz
