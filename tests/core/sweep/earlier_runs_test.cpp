#include "core/sweep/earlier_runs.h"

#include <gtest/gtest.h>

namespace runahead::sweep {
namespace {

TEST(VersionOf, NamesTheRevision) {
  record::Environment environment;
  environment.runahead = "0.1.0";
  EXPECT_EQ(version_of(environment), "0.1.0");
  environment.git = "abc";
  EXPECT_EQ(version_of(environment), "0.1.0 (abc)");
}

}  // namespace
}  // namespace runahead::sweep
