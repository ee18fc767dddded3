#pragma once

#include <optional>
#include <string>

#include "core/config/experiment_config.h"
#include "core/experiment/factories.h"

namespace runahead::cell {

/// The parts of a run of `config`. This is the only place that knows every model, every data source
/// and the classes for each device. Looks for CUDA devices only if the config asks for one, because
/// looking takes time and memory.
[[nodiscard]] experiment::Factories make_factories(const config::ExperimentConfig& config);

/// For the record of a run on CUDA; all nullopt for runs on other devices.
struct CudaEnvironment {
  std::optional<std::string> version{};      ///< Version of the runtime library.
  std::optional<std::string> device_name{};  ///< Also nullopt if there is no such device.
};

[[nodiscard]] CudaEnvironment find_cuda_environment(const config::ExperimentConfig& config);

}  // namespace runahead::cell
