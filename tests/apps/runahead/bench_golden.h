#pragma once

#include <string>

#include "core/base/json.h"
#include "support/golden.h"

namespace runahead::apps {

/// Expects the figures of a benchmark, and its table, to be what the golden file `name` holds.
inline void expect_bench_golden(const std::string& name, const Json& figures,
                                const std::string& table) {
  std::string text = table + "\n";
  for (const auto& [key, value] : figures.items()) text += key + ": " + dump_json(value) + "\n";
  test::expect_golden(RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/" + name + ".txt", text);
}

}  // namespace runahead::apps
