#pragma once

namespace runahead::apps {

/// From now on SIGINT, SIGTERM and SIGHUP end this process with 128 and their number as exit code,
/// where nothing else takes care of them (a sweep does). A SIGHUP that is ignored (nohup) stays
/// ignored.
void exit_on_interruption();

/// Keeps these signals for the program that this process is about to become: it gets those that
/// come before it can handle them.
void keep_interruption_for_next_program();

}  // namespace runahead::apps
