#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace runahead::engine {

/// An exception thrown by an operation's body, shared by the variables it poisons and the log.
struct Failure {
  std::string operation_name{};
  std::exception_ptr cause{};
  std::string text{};                 ///< Describes the cause.
  std::uint64_t sequence = 0;         ///< Of the operation that threw.
  std::atomic<bool> reported{false};  ///< A wait has thrown it.
};

using FailurePtr = std::shared_ptr<Failure>;

/// What an exception says of itself.
[[nodiscard]] std::string what_of(const std::exception_ptr& error);

/// The failure of the earlier operation; null counts as later than any.
[[nodiscard]] const FailurePtr& earlier_of(const FailurePtr& a, const FailurePtr& b) noexcept;

/// Throws OperationError for `failure` and marks it as reported.
[[noreturn]] void report(Failure& failure, std::uint64_t unkept_failures = 0);

/// Failures that no wait has reported yet. Thread-safe.
class FailureLog {
 public:
  /// Most failures kept. Later ones are only counted; the last kept one reports the count.
  static constexpr std::size_t kCapacity = 1024;

  using DescribeError = std::string (*)(const std::exception_ptr& error);

  /// @param describe  The text of an exception; null: std::exception::what.
  explicit FailureLog(DescribeError describe = nullptr);

  /// Never throws: when out of memory, it returns a preallocated failure.
  FailurePtr add(std::string_view operation_name, std::exception_ptr cause,
                 std::uint64_t sequence) noexcept;

  /// Throws OperationError for the earliest failure that no wait has reported, if there is one.
  void report_earliest();

 private:
  void keep(const FailurePtr& failure);
  /// Returns what a wait has reported, to be destroyed without the lock: Python's exceptions take
  /// the interpreter lock.
  [[nodiscard]] std::vector<FailurePtr> take_reported();

  const DescribeError describe_;
  const FailurePtr without_memory_;
  std::mutex mutex_;
  std::vector<FailurePtr> unreported_;
  std::uint64_t unkept_ = 0;
};

}  // namespace runahead::engine
