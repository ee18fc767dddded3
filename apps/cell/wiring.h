#pragma once

#include <optional>
#include <string>

#include "core/config/experiment_config.h"
#include "core/experiment/factories.h"

namespace runahead::cell {

/// What a run of `config` is made of: the one place that knows every model, every source of data
/// and what serves which device. Looks for CUDA devices only where the config asks for one: to look
/// takes time and memory.
[[nodiscard]] experiment::Factories make_factories(const config::ExperimentConfig& config);

/// For the record of a run on CUDA; all nullopt of runs on other devices.
struct CudaEnvironment {
  std::optional<std::string> version{};      ///< Of the runtime library.
  std::optional<std::string> device_name{};  ///< nullopt also if it is not there.
};

[[nodiscard]] CudaEnvironment find_cuda_environment(const config::ExperimentConfig& config);

}  // namespace runahead::cell
