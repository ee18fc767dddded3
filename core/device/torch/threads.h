#pragma once

namespace runahead::device {

/// Ensures that autograd has a thread for the device, which runs the backward passes of threads
/// that have not called run_backward_in_this_thread. Autograd counts the devices and starts their
/// threads once, at the first backward of the process; if that ran before the device was
/// registered, there is none for it, and LibTorch would abort at the next. Cheap after the first
/// call. Thread-safe, except while a backward pass runs on cpu alone.
void ensure_autograd_thread() noexcept;

/// Makes the calling thread run the backward passes that it starts, as on `cpu`: hooks see their
/// caller's context, gradients of gradients are summed in `cpu`'s order, and no step pays for the
/// way to another thread and back. Overrides `torch.autograd.set_multithreading_enabled`.
void run_backward_in_this_thread() noexcept;

/// Sets the intra-op threads of the calling thread alone to `count` >= 1; at::set_num_threads would
/// change other threads too, both those running and those started later.
void set_own_intra_op_threads(int count);

}  // namespace runahead::device
