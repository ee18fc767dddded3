#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

namespace runahead::test {

/// A file that cannot be read or written in its scope, even by root: the calling thread drops the
/// capabilities that override permissions. Its length can be read, and open files stay usable.
/// Works under sanitizers, which need file descriptors.
class ForbiddenFile {
 public:
  explicit ForbiddenFile(std::filesystem::path path) : path_(std::move(path)) {
    permissions_ = std::filesystem::status(path_).permissions();
    std::filesystem::permissions(path_, std::filesystem::perms::none);
    if (::syscall(SYS_capget, &header_, before_) != 0) throw std::runtime_error("capget failed");
    __user_cap_data_struct now[] = {before_[0], before_[1]};
    now[0].effective &= ~(1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH);
    if (::syscall(SYS_capset, &header_, now) != 0) throw std::runtime_error("capset failed");
  }
  ~ForbiddenFile() {
    ::syscall(SYS_capset, &header_, before_);
    std::error_code ignored;
    std::filesystem::permissions(path_, permissions_, ignored);
  }
  ForbiddenFile(const ForbiddenFile&) = delete;
  ForbiddenFile& operator=(const ForbiddenFile&) = delete;

 private:
  std::filesystem::path path_{};
  std::filesystem::perms permissions_{};
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2]{};
};

}  // namespace runahead::test
