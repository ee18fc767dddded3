#pragma once

#include <exception>
#include <string>

#include "core/base/error.h"
#include "core/engine/engine.h"

namespace runahead::device {

/// The text of an operation's error, as LibTorch shows errors in Python: its own without the C++
/// frames, unless TORCH_SHOW_CPP_STACKTRACES is set.
[[nodiscard]] std::string text_of_error(const std::exception_ptr& error);

/// Throws the error as LibTorch's own, torch.OutOfMemoryError in Python: for what LibTorch calls.
[[noreturn]] void throw_to_torch(const OutOfMemoryError& error);

/// The earliest failure that no wait has reported, an engine::OperationError that gives the number
/// of the others; null if there is none. All of them count as reported afterwards.
[[nodiscard]] std::exception_ptr unreported_failures(engine::Engine& engine);

}  // namespace runahead::device
