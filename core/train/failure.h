#pragma once

#include <exception>
#include <string>

#include "core/record/status.h"

namespace runahead::train {

/// How a run that threw ended, as its record reports it.
struct Failure {
  record::Status status = record::Status::kFailed;
  std::string message{};  ///< One line or more; names the operation if one failed.
};

/// Distinguishes a lack of memory (kOutOfMemory: std::bad_alloc, OutOfMemoryError, LibTorch's own
/// out-of-memory errors, and an operation that failed with one of them), an interruption
/// (kInterrupted) and everything else (kFailed).
[[nodiscard]] Failure describe_failure(const std::exception_ptr& error);

}  // namespace runahead::train
