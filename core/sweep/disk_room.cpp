#include "core/sweep/disk_room.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace runahead::sweep {

namespace {

constexpr std::size_t kTrialBytes = std::size_t{1} << 20;

bool writes_all(int file, const std::vector<char>& bytes) {
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t count = ::write(file, bytes.data() + written, bytes.size() - written);
    if (count <= 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return ::fsync(file) == 0;
}

/// Writes a file, because only a write can show a quota.
bool takes_a_file(const std::filesystem::path& folder) {
  std::string path = (folder / "room-XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return false;
  ::unlink(path.c_str());
  const bool has_written = writes_all(file, std::vector<char>(kTrialBytes));
  return ::close(file) == 0 && has_written;
}

}  // namespace

bool has_disk_room(const std::filesystem::path& folder, std::uint64_t room_bytes) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) return false;
  const bool has_inode = disk.f_files == 0 || disk.f_favail > 0;  // Some file systems count none.
  const bool has_bytes = disk.f_bavail >= room_bytes / disk.f_frsize;
  return has_inode && has_bytes && takes_a_file(folder);
}

}  // namespace runahead::sweep
