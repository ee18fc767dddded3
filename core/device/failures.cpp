#include "core/device/failures.h"

#include <c10/util/Exception.h>
#include <torch/csrc/utils/cpp_stacktraces.h>

#include <cstdint>
#include <optional>

#include "core/engine/failure.h"

namespace runahead::device {

std::string text_of_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const c10::Error& exception) {
    return torch::get_cpp_stacktraces_enabled() ? exception.what()
                                                : exception.what_without_backtrace();
  } catch (...) {
    return engine::what_of(error);
  }
}

void throw_to_torch(const OutOfMemoryError& error) {
  C10_THROW_ERROR(OutOfMemoryError, error.what());
}

std::exception_ptr unreported_failures(engine::Engine& engine) {
  std::optional<engine::OperationError> first;
  std::uint64_t others = 0;
  for (;;) {
    try {
      engine.report_failure();
      break;
    } catch (const engine::OperationError& error) {
      others += error.unkept_failures() + (first ? 1 : 0);
      if (!first) first = error;
    }
  }
  if (!first) return nullptr;
  return std::make_exception_ptr(engine::OperationError(first->operation_name(), first->cause(),
                                                        text_of_error(first->cause()), others));
}

}  // namespace runahead::device
