#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "core/base/error.h"

namespace runahead::engine {

/// A failed operation, as a wait reports it. Names the operation and keeps the original exception.
class OperationError : public Error {
 public:
  /// @param text  Describes `cause`.
  /// @param unkept_failures  Number of later failures that did not fit in the engine's log.
  OperationError(std::string operation_name, std::exception_ptr cause, const std::string& text,
                 std::uint64_t unkept_failures = 0);

  [[nodiscard]] const std::string& operation_name() const noexcept { return operation_name_; }
  [[nodiscard]] const std::exception_ptr& cause() const noexcept { return cause_; }
  [[nodiscard]] std::uint64_t unkept_failures() const noexcept { return unkept_failures_; }
  /// Whether the cause is a std::bad_alloc or a runahead::OutOfMemoryError.
  [[nodiscard]] bool is_out_of_memory() const noexcept;

 private:
  std::string operation_name_;
  std::exception_ptr cause_;
  std::uint64_t unkept_failures_;
};

}  // namespace runahead::engine
