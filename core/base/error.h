#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace runahead {

/// The exit codes of every program of this project. The set is closed: scripts rely on it.
enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,         ///< Failed while running.
  kUsage = 2,          ///< Usage or config error.
  kUnavailable = 3,    ///< Something needed is missing (device, package).
  kCellsFailed = 4,    ///< Some cells of a sweep failed.
  kClaimsFailed = 5,   ///< A claim of `reproduce` did not hold.
  kBoundPassed = 6,    ///< A condition of `--fail-if` held, or its figure was not measured.
  kInterrupted = 130,  ///< Interrupted; what was measured is written.
};

/// Base of the project's exceptions. The message says what was found, what is allowed and what to
/// do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// The exit code of a program that ends with this error.
  [[nodiscard]] virtual ExitCode exit_code() const noexcept { return ExitCode::kFailed; }
};

/// A caller broke a documented precondition: a bug in the calling code.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A user's config or command line is wrong.
class ConfigError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] ExitCode exit_code() const noexcept override { return ExitCode::kUsage; }
};

/// Something the user asked for is not available on this machine: a device, a package, a program.
class UnavailableError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] ExitCode exit_code() const noexcept override { return ExitCode::kUnavailable; }
};

/// Memory for a tensor could not be allocated.
class OutOfMemoryError : public Error {
 public:
  using Error::Error;
};

/// The user asked to stop (Ctrl-C, SIGTERM).
class InterruptedError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] ExitCode exit_code() const noexcept override { return ExitCode::kInterrupted; }
};

/// The first line of the message of `error`. LibTorch appends a stack trace to its messages.
[[nodiscard]] std::string first_line(const std::exception& error);

namespace detail {
[[noreturn]] void throw_usage_error(const char* file, int line, const char* condition,
                                    const std::string& message);
}  // namespace detail

}  // namespace runahead

/// Throws runahead::UsageError unless `condition` holds. `message` is evaluated only then.
#define RUNAHEAD_REQUIRE(condition, message)                                            \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      ::runahead::detail::throw_usage_error(__FILE__, __LINE__, #condition, (message)); \
    }                                                                                   \
  } while (false)
