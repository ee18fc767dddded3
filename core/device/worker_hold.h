#pragma once

namespace runahead::device {

/// Queues, on the current stream, an operation for each worker that sleeps so long: what is issued
/// afterwards starts after it, and piles up meanwhile. Never blocks for it, though it may be held
/// at the run-ahead limit, as any operation. @param seconds  Above 0.
/// @throws UsageError otherwise, and where operations run at issue: the caller would sleep.
void hold_workers(double seconds);

}  // namespace runahead::device
