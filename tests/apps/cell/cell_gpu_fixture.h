#pragma once

#include <string>

#include "cell_fixture.h"
#include "support/gpu.h"

namespace runahead::test {

/// Runs `runahead-cell` on a CUDA device: skipped without one, unless RUNAHEAD_EXPECT_GPU=1.
class CellGpuTest : public CellTest {
 protected:
  void SetUp() override {
    const ProgramEnd end = cell({"devices", "--json"});
    ASSERT_EQ(end.exit_code, 0) << end.err;
    const Json cuda = parse_json(end.out, "stdout").at(2);
    RUNAHEAD_NEEDS_GPU(cuda.at("available").get<bool>() ? "" : cuda.at("what").get<std::string>());
  }
};

}  // namespace runahead::test
