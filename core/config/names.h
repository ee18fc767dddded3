#pragma once

#include <string>
#include <vector>

#include "core/config/experiment_config.h"

namespace runahead::config {

/// The JSON names of an enum's values, in the order of the enum.
template <typename Enum>
[[nodiscard]] const std::vector<std::string>& names_of();
template <>
const std::vector<std::string>& names_of<Activation>();
template <>
const std::vector<std::string>& names_of<ModelInit>();
template <>
const std::vector<std::string>& names_of<Normalization>();
template <>
const std::vector<std::string>& names_of<DataMade>();
template <>
const std::vector<std::string>& names_of<InputType>();
template <>
const std::vector<std::string>& names_of<LastBatch>();
template <>
const std::vector<std::string>& names_of<Outputs>();
template <>
const std::vector<std::string>& names_of<OptimizerKind>();
template <>
const std::vector<std::string>& names_of<LossKind>();
template <>
const std::vector<std::string>& names_of<ReadyOrder>();
template <>
const std::vector<std::string>& names_of<Allocation>();
template <>
const std::vector<std::string>& names_of<ProductLibrary>();
template <>
const std::vector<std::string>& names_of<FreedMemory>();
template <>
const std::vector<std::string>& names_of<Staging>();
template <>
const std::vector<std::string>& names_of<Copies>();
template <>
const std::vector<std::string>& names_of<CudaAllocator>();

/// The JSON name of one value.
template <typename Enum>
[[nodiscard]] const std::string& name_of(Enum value) {
  return names_of<Enum>().at(static_cast<std::size_t>(value));
}

}  // namespace runahead::config
