#include "core/engine/operation_error.h"

#include <new>
#include <utility>

namespace runahead::engine {
namespace {

std::string message_of(const std::string& operation_name, const std::string& text,
                       std::uint64_t unkept_failures) {
  std::string message = "operation '" + operation_name + "' failed: " + text;
  if (unkept_failures > 0) {
    message += " (and " + std::to_string(unkept_failures) + " later " +
               (unkept_failures == 1 ? "operation" : "operations") + " failed)";
  }
  return message;
}

}  // namespace

OperationError::OperationError(std::string operation_name, std::exception_ptr cause,
                               const std::string& text, std::uint64_t unkept_failures)
    : Error(message_of(operation_name, text, unkept_failures)),
      operation_name_(std::move(operation_name)),
      cause_(std::move(cause)),
      unkept_failures_(unkept_failures) {}

bool OperationError::is_out_of_memory() const noexcept {
  try {
    std::rethrow_exception(cause_);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const OutOfMemoryError&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace runahead::engine
