#pragma once

#include <string>

#include "core/config/sweep_config.h"

namespace runahead::test {

/// A sweep config that would be in the current folder.
inline config::SweepConfig sweep_of(const std::string& text) {
  return config::read_sweep(parse_json(text, "sweep.json"), "sweep.json", ".");
}

}  // namespace runahead::test
