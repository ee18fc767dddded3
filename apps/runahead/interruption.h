#pragma once

namespace runahead::apps {

/// From now on, SIGINT, SIGTERM and SIGHUP end this process with exit code 128 plus the signal's
/// number, unless something else handles them (as a sweep does). An ignored SIGHUP (nohup) stays
/// ignored.
void exit_on_interruption();

/// Holds these signals for the program that this process is about to become, which receives those
/// that arrive before it can handle them.
void keep_interruption_for_next_program();

}  // namespace runahead::apps
