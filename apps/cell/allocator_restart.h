#pragma once

#include "core/config/experiment_config.h"

namespace runahead::cell {

/// Executes this program again, with the same arguments, if the config asks for another CUDA
/// allocator than LibTorch chose when it was loaded, because LibTorch reads the environment only
/// then. Returns if nothing has to change, as for every other device. Call it before CUDA is used
/// and before another thread starts. Restarts the program at most once in a row.
/// @throws UnavailableError if LibTorch still chooses another allocator, or if the program cannot
/// be executed.
void restart_for_allocator(const config::ExperimentConfig& config);

}  // namespace runahead::cell
