#pragma once

#include <signal.h>

#include <array>
#include <string>

namespace runahead {

/// The signals that ask a program to end and leave it time to write what it has.
inline constexpr std::array<int, 3> kInterruptions{SIGINT, SIGTERM, SIGHUP};

/// "signal 9 (SIGKILL)".
[[nodiscard]] std::string signal_text(int signal);

/// Whether a process that a signal ended was ended from outside: by SIGKILL or an interruption.
[[nodiscard]] bool is_from_outside(int signal) noexcept;

/// Whether this process ignores a signal, as it does SIGHUP when nohup started it.
[[nodiscard]] bool is_ignored(int signal) noexcept;

/// Notes a signal that interrupts this process. The first one holds. Signal handlers may call it,
/// and any thread.
void note_interruption(int signal) noexcept;

/// What an interrupted process exits with: 128 and the signal that was noted, as shells have it;
/// 130, that of Ctrl-C, if none was.
[[nodiscard]] int interrupted_exit_code() noexcept;

/// Whether an exit code is that of a process of ours that was interrupted.
[[nodiscard]] bool is_interrupted_exit_code(int code) noexcept;

}  // namespace runahead
