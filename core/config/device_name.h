#pragma once

#include <string>

namespace runahead::config {

/// "cpu", "acpu", "cuda", or "cuda:N" with at most three digits.
[[nodiscard]] bool is_device_name(const std::string& name);

/// N for "cuda:N"; 0 for "cuda".
[[nodiscard]] int cuda_index(const std::string& name);

}  // namespace runahead::config
