#include "core/base/result_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temporary_folder.h"

namespace runahead {
namespace {

namespace fs = std::filesystem;

class NewResultFolder : public ::testing::Test {
 protected:
  NewResultFolder() { fs::current_path(folder_.path()); }
  ~NewResultFolder() override { fs::current_path(before_); }

 private:
  const fs::path before_ = fs::current_path();
  const test::TemporaryFolder folder_{};
};

TEST_F(NewResultFolder, HasTheTimeAndTheName) {
  const std::string path = new_result_folder("train-acpu").string();

  EXPECT_TRUE(path.starts_with("runs/20")) << path;
  EXPECT_TRUE(path.ends_with("-train-acpu")) << path;
}

TEST_F(NewResultFolder, IsNotThereHoweverManyAreMadeInASecond) {
  for (int i = 0; i < 5; ++i) {
    const fs::path folder = new_result_folder("sweep");
    EXPECT_TRUE(fs::create_directories(folder)) << folder;
  }
}

}  // namespace
}  // namespace runahead
