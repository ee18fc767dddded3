#pragma once

namespace runahead::sweep {

/// Lets this process open the files that `jobs` concurrent cells need: raises its soft limit
/// (RLIMIT_NOFILE) if it is lower. The programs that it starts get the original limit back. That
/// limit is low for the sake of programs that use `select`, and a cell's environment must not
/// depend on how many others run. Not thread-safe.
/// @throws ConfigError if the hard limit is also lower; nothing has then changed.
void raise_open_file_limit(int jobs);

/// Restores the soft limit of the calling process. For a child between fork and exec. Does nothing
/// if the limit was not raised. @return an errno, 0 on success.
[[nodiscard]] int restore_open_file_limit() noexcept;

}  // namespace runahead::sweep
