#pragma once

namespace runahead::experiment {

/// Keeps the calling thread's CPU busy for at least `seconds`, or not at all for 0 or less, as a
/// slow front end does. A sleep would let the CPU idle, and the work after it would run slower
/// until the CPU has woken up. Executes pause instructions between clock reads, so it costs another
/// thread of the same core next to nothing.
void work_for(double seconds);

}  // namespace runahead::experiment
