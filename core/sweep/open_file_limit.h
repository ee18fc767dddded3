#pragma once

namespace runahead::sweep {

/// Lets this process have the files open that `jobs` cells at once take: raises its soft limit
/// (RLIMIT_NOFILE) where that is lower. What it starts gets the limit back that this process had,
/// which is as low as it is for programs that use `select`, and so that no cell's surroundings
/// depend on how many others run. Not thread-safe.
/// @throws ConfigError if the hard limit is lower, too; then nothing has changed.
void raise_open_file_limit(int jobs);

/// Gives the calling process the soft limit back. For a child between fork and exec; nothing
/// happens if the limit was not raised. @return an errno, 0 if all went well.
[[nodiscard]] int restore_open_file_limit() noexcept;

}  // namespace runahead::sweep
