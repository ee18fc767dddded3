#pragma once

namespace runahead::sweep {

/// Lets this process open the files that `jobs` concurrent cells need: raises its soft limit
/// (RLIMIT_NOFILE) if it is lower. The programs that it starts get the original limit back. That
/// limit is low for the sake of programs that use `select`, and a cell's environment must not
/// depend on how many others run. Not thread-safe.
/// @throws ConfigError if the hard limit is lower, too; then nothing has changed.
void raise_open_file_limit(int jobs);

/// Gives the calling process the soft limit back. For a child between fork and exec; nothing
/// happens if the limit was not raised. @return an errno, 0 if all went well.
[[nodiscard]] int restore_open_file_limit() noexcept;

}  // namespace runahead::sweep
