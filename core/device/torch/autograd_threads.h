#pragma once

namespace runahead::device {

/// Ensures that autograd has a thread for the device, on which it runs the backward pass. Autograd
/// counts the devices and starts their threads once, at the first backward of the process; if that
/// ran before the device was registered, there is none for it, and LibTorch would abort at the
/// next. Cheap after the first call. Thread-safe, except while a backward pass runs on cpu alone.
void ensure_autograd_thread() noexcept;

/// Whether the calling thread runs a node of a backward pass.
[[nodiscard]] bool is_in_backward() noexcept;

}  // namespace runahead::device
