#pragma once

#include <string>

#include "core/base/error.h"
#include "core/config/sweep_config.h"
#include "support/error_message.h"

namespace runahead::test {

/// A sweep config that would be in the current folder.
inline config::SweepConfig sweep_of(const std::string& text) {
  return config::read_sweep(parse_json(text, "sweep.json"), "sweep.json", ".");
}

inline std::string error_of_sweep(const std::string& text) {
  return error_message<ConfigError>([&] { static_cast<void>(sweep_of(text)); });
}

/// The default experiment with these keys besides `base`.
inline std::string sweep_text(const std::string& keys) {
  return R"({"base": {"experiment": "train"}, )" + keys + "}";
}

/// The error for a sweep over these axes of the default experiment.
inline std::string error_of_axes(const std::string& axes) {
  return error_of_sweep(sweep_text("\"axes\": " + axes));
}

}  // namespace runahead::test
