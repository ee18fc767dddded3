#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace runahead::test {

/// A small file system (tmpfs) that only this process and its children see.
class SmallDisk {
 public:
  /// Mounts it on `folder`, which exists, if that is permitted.
  SmallDisk(std::filesystem::path folder, std::size_t size_bytes) : folder_(std::move(folder)) {
    is_mounted_ = has_own_mounts() && mount_with(0, size_bytes);
    if (!is_mounted_) why_not_ = std::string("mounting is not permitted: ") + std::strerror(errno);
  }
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Why it could not be mounted; empty if it was.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// @return whether it has that size now.
  bool resize(std::size_t size_bytes) { return mount_with(MS_REMOUNT, size_bytes); }

 private:
  /// Leaves the mounts of the others alone, as root or as root of a user namespace of its own.
  static bool has_own_mounts() {
    const auto user = ::getuid();
    const auto group = ::getgid();
    if (::unshare(CLONE_NEWNS) != 0) {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
      std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
    }
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }

  bool mount_with(unsigned long flags, std::size_t size_bytes) {
    const std::string options = "size=" + std::to_string(size_bytes);
    return ::mount("runahead-test", folder_.c_str(), "tmpfs", flags, options.c_str()) == 0;
  }

  std::filesystem::path folder_;
  std::string why_not_{};
  bool is_mounted_ = false;
};

}  // namespace runahead::test
