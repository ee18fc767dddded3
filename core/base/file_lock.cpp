#include "core/base/file_lock.h"

#include <fcntl.h>

#include <cerrno>

namespace runahead {
namespace {

int set_lock(int file, short type) noexcept {
  struct flock whole {};
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return ::fcntl(file, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

}  // namespace

int try_lock_file(int file) noexcept { return set_lock(file, F_WRLCK); }

void unlock_file(int file) noexcept { static_cast<void>(set_lock(file, F_UNLCK)); }

}  // namespace runahead
