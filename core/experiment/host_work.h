#pragma once

namespace runahead::experiment {

/// Keeps the calling thread's CPU busy for at least `seconds`; not at all for 0 or less. What a
/// slow front end does: a sleep instead would let the CPU idle, and what comes after it would run
/// slower until it has woken up. It pauses between looks at the clock, and so takes next to nothing
/// from another thread of the same core.
void work_for(double seconds);

}  // namespace runahead::experiment
