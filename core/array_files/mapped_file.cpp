#include "core/array_files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace runahead::array_files {
namespace {

[[noreturn]] void fail_to_read(const std::filesystem::path& path, int problem) {
  throw ConfigError("cannot read " + path.string() + ": " + std::strerror(problem));
}

[[noreturn]] void refuse_file(const std::filesystem::path& path, const char* reason) {
  throw ConfigError("'" + path.string() + "' " + reason);
}

/// An open file that closes itself; a mapping persists without it.
class MappableFile {
 public:
  explicit MappableFile(const std::filesystem::path& path)
      // Opening a pipe would otherwise wait for a writer.
      : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ >= 0) return;
    if (errno != ENOENT) fail_to_read(path_, errno);
    throw ConfigError(path_.string() + ": no such file; check the path");
  }
  ~MappableFile() { ::close(number_); }
  MappableFile(const MappableFile&) = delete;
  MappableFile& operator=(const MappableFile&) = delete;

  [[nodiscard]] std::size_t size() const {
    struct stat status {};
    if (::fstat(number_, &status) != 0) fail_to_read(path_, errno);
    if (S_ISDIR(status.st_mode)) refuse_file(path_, "is a folder; give a file");
    if (!S_ISREG(status.st_mode)) {
      refuse_file(path_, "is a pipe or a device, which cannot be mapped into memory; give a file");
    }
    if (status.st_size == 0) refuse_file(path_, "is empty; give a file with an array");
    return static_cast<std::size_t>(status.st_size);
  }

  [[nodiscard]] std::shared_ptr<const std::byte> map(std::size_t size) const {
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, number_, 0);
    if (address == MAP_FAILED) {
      const int problem = errno;
      throw ConfigError("cannot map " + path_.string() + " into memory: " + std::strerror(problem));
    }
    return {static_cast<const std::byte*>(address),
            [address, size](const std::byte*) { ::munmap(address, size); }};
  }

 private:
  const std::filesystem::path& path_;
  int number_ = -1;
};

}  // namespace

FileBytes map_file(const std::filesystem::path& path) {
  const MappableFile file(path);
  const std::size_t size = file.size();
  return {.source = path.string(), .data = file.map(size), .size = size};
}

}  // namespace runahead::array_files
