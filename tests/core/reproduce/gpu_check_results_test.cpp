#include "core/reproduce/gpu_check_results.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/reproduce/claims.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::reproduce {
namespace {

const std::filesystem::path kConfigsOfGpuCheck =
    std::filesystem::path(RUNAHEAD_SOURCE_FOLDER) / "configs" / "cuda";

TEST(GpuCheckResults, DecideOnlyTheClaimsAboutWhatRan) {
  const runahead::test::TemporaryFolder folder;
  runahead::test::write_text(folder.path() / "tests.xml",
                             R"(<testsuite tests="1" failures="0" skipped="0">)");
  const Measured measured = read_gpu_check(folder.path(), kConfigsOfGpuCheck);

  for (const Claim& claim : cuda_claims().claims) {
    EXPECT_EQ(claim.judge(measured).holds.has_value(), claim.id == "cuda.tests.pass") << claim.id;
  }
}

TEST(GpuCheckResults, AreNotReadFromAFolderWithoutAny) {
  const runahead::test::TemporaryFolder folder;
  EXPECT_THROW(static_cast<void>(read_gpu_check(folder.path(), kConfigsOfGpuCheck)), ConfigError);
}

}  // namespace
}  // namespace runahead::reproduce
