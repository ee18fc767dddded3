#pragma once

#include <signal.h>

#include <array>
#include <string>

namespace runahead {

/// The signals that ask a program to end and leave it time to write its results.
inline constexpr std::array<int, 3> kInterruptions{SIGINT, SIGTERM, SIGHUP};

/// "signal 9 (SIGKILL)".
[[nodiscard]] std::string signal_text(int signal);

/// Whether `signal` is one of kInterruptions.
[[nodiscard]] bool is_interruption(int signal) noexcept;

/// Whether a process killed by `signal` was ended from outside: by SIGKILL or an interruption.
[[nodiscard]] bool is_from_outside(int signal) noexcept;

/// Whether this process ignores a signal, as it does SIGHUP when nohup started it.
[[nodiscard]] bool is_ignored(int signal) noexcept;

/// Records a signal that interrupts this process; the first one counts. May be called by signal
/// handlers and on any thread.
void note_interruption(int signal) noexcept;

/// The exit code of an interrupted process: 128 plus the recorded signal, as in shells; 130, that
/// of Ctrl-C, if none was recorded.
[[nodiscard]] int interrupted_exit_code() noexcept;

/// Whether an exit code is that of one of our processes that was interrupted.
[[nodiscard]] bool is_interrupted_exit_code(int code) noexcept;

}  // namespace runahead
