#include "core/sweep/open_file_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/sweep/child_process.h"

namespace runahead::sweep {

namespace {

/// The process's own files: streams, the store, the event loop, and those open only briefly.
constexpr rlim_t kOtherFiles = 64;

/// The process's original soft limit; nullopt: not raised. As global as the limit itself.
std::optional<rlim_t>& soft_limit_before() {
  static std::optional<rlim_t> limit;
  return limit;
}

std::string refusal(int jobs, rlim_t needed, rlim_t hard_limit) {
  const rlim_t most_jobs = (hard_limit - std::min(hard_limit, kOtherFiles)) / kFilesPerChild;
  const std::string found = "--jobs " + std::to_string(jobs) + " needs " + std::to_string(needed) +
                            " open files, but the hard limit is " + std::to_string(hard_limit) +
                            " (ulimit -Hn); ";
  if (most_jobs == 0) return found + "have the limit raised";
  return found + "use --jobs " + std::to_string(most_jobs) + (most_jobs == 1 ? "" : " or fewer") +
         ", or have the limit raised";
}

}  // namespace

void raise_open_file_limit(int jobs) {
  const rlim_t needed = static_cast<rlim_t>(jobs) * kFilesPerChild + kOtherFiles;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw Error(std::string("cannot read the limit of open files: ") + std::strerror(errno));
  }
  if (limit.rlim_cur >= needed) return;
  if (limit.rlim_max < needed) throw ConfigError(refusal(jobs, needed, limit.rlim_max));
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = needed;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw Error(std::string("the limit of open files cannot be raised: ") + std::strerror(errno));
  }
  if (!soft_limit_before()) soft_limit_before() = before;
}

int restore_open_file_limit() noexcept {
  if (!soft_limit_before()) return 0;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
  limit.rlim_cur = *soft_limit_before();
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? 0 : errno;
}

}  // namespace runahead::sweep
