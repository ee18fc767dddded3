#pragma once

namespace runahead::device {

/// Queues, on the current stream, one operation per worker that sleeps for `seconds`: what is
/// issued afterwards starts after it, and piles up meanwhile. Never waits for it, but may block at
/// the run-ahead limit, like any operation. @param seconds  Above 0.
/// @throws UsageError otherwise, and if operations run at issue: the caller would sleep.
void hold_workers(double seconds);

}  // namespace runahead::device
