#include "core/sweep/disk_room.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/base/file.h"

namespace runahead::sweep {

namespace {

constexpr std::size_t kTrialBytes = std::size_t{1} << 20;

/// Writes a file, because only a write can show a quota.
bool takes_a_file(const std::filesystem::path& folder) {
  std::string path = (folder / "room-XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return false;
  ::unlink(path.c_str());
  const bool has_written = write_all(file, std::string(kTrialBytes, '\0')) && ::fsync(file) == 0;
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
