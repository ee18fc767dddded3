#pragma once

#include "core/config/experiment_config.h"

namespace runahead::cell {

/// Executes this program again, with the same arguments, if the config asks for another allocator
/// of CUDA memory than the one LibTorch chose when it was loaded: LibTorch reads the environment
/// only then. Returns if nothing has to change, as on every other device. Call it before CUDA is
/// used and before there is another thread. It restarts the program at most once in a row.
/// @throws UnavailableError if LibTorch takes another allocator all the same, or the program cannot
/// be executed.
void restart_for_allocator(const config::ExperimentConfig& config);

}  // namespace runahead::cell
