#pragma once

#include "core/config/experiment_config.h"

namespace runahead::cell {

/// Executes this program again, with the same arguments, where the config asks for another
/// allocator of CUDA memory than LibTorch took when it was loaded: it reads the environment once,
/// then. Returns where nothing is to be changed, as on every other device. To be called before CUDA
/// is used and before there is another thread; at most once in a row.
/// @throws UnavailableError if LibTorch takes another allocator all the same, or the program cannot
/// be executed.
void restart_for_allocator(const config::ExperimentConfig& config);

}  // namespace runahead::cell
