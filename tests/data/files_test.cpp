#include "data/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/serialize.h>
#include <torch/types.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/tensor_files/tensor_file.h"
#include "support/error_message.h"

namespace runahead::data {
namespace {

using ::testing::HasSubstr;
using train::Batch;
using train::BatchSource;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    config_.loss = config::LossKind::kCrossEntropy;
    config_.data.kind = "files";
    config_.data.batch_size = 4;
    config_.data.files.inputs.path = write("inputs", inputs_);
    config_.data.files.targets.path = write("targets", torch::arange(10));
  }

  std::string write(const std::string& name, const torch::Tensor& tensor) {
    const std::filesystem::path path = folder_.path() / (name + ".safetensors");
    tensor_files::write_tensors(path, {{"x", tensor}});
    return path.string();
  }

  std::unique_ptr<BatchSource> make() {
    return make_file_source(config_, torch::kCPU,
                            std::make_unique<train::PageableStaging>(torch::kCPU));
  }

  ScratchFolder folder_;
  torch::Tensor inputs_ = torch::arange(60).to(torch::kUInt8).reshape({10, 2, 3});
  config::ExperimentConfig config_{};
};

TEST_F(FilesTest, BatchesAreRowsOfBothFiles) {
  config_.data.files.scale = 0.5;
  const auto source = make();

  EXPECT_EQ(example_shape_of_files(config_), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(source->batches_in_epoch(), 2);
  for (int i = 0; i < 5; ++i) {
    const Batch batch = source->next();
    EXPECT_EQ(batch.targets.scalar_type(), torch::kInt64);
    const torch::Tensor rows = inputs_.index_select(0, batch.targets).to(torch::kFloat32) * 0.5;
    EXPECT_TRUE(torch::equal(batch.inputs, rows));
  }
}

TEST_F(FilesTest, BatchesAreTheSameWithAnyNumberOfThreads) {
  std::vector<torch::Tensor> expected;
  const auto alone = make();
  for (int i = 0; i < 7; ++i) expected.push_back(alone->next().inputs);

  for (const std::int64_t threads : {1, 3}) {
    config_.data.files.loader_threads = threads;
    const auto source = make();
    source->start_at(2);
    for (std::size_t i = 2; i < expected.size(); ++i) {
      EXPECT_TRUE(torch::equal(source->next().inputs, expected[i])) << threads << ", " << i;
    }
  }
}

TEST_F(FilesTest, KeepsIntegersForModelsThatEmbedThemAndHasRowsOfValuesForTheirLosses) {
  config_.data.files.type = config::InputType::kInt64;
  config_.loss = config::LossKind::kMse;
  const Batch batch = make()->next();

  EXPECT_EQ(batch.inputs.scalar_type(), torch::kInt64);
  EXPECT_EQ(batch.targets.scalar_type(), torch::kFloat32);
  EXPECT_EQ(batch.targets.sizes().vec(), (std::vector<std::int64_t>{4, 1}));
}

TEST_F(FilesTest, ErrorsNameTheSectionThatHasTheFiles) {
  config_.data.files.section = "/evaluation";
  config_.data.files.targets.path = write("fewer", torch::arange(9));
  EXPECT_THAT(
      test::error_message<ConfigError>([&] { make(); }),
      HasSubstr("/evaluation/targets: found 9 targets; allowed: 10, one for each example of "
                "/evaluation/inputs"));
  config_.data.files.targets.path = write("negative", torch::arange(10) - 1);
  EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }),
              HasSubstr("/evaluation/targets: "));
  config_.data.files.inputs.path = "nothing.npy";
  EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }), HasSubstr("/evaluation/inputs: "));
}

TEST_F(FilesTest, ReadsWhatTorchSaves) {
  const std::filesystem::path path = folder_.path() / "both.pt";
  c10::Dict<std::string, torch::Tensor> both;
  both.insert("x", inputs_);
  both.insert("y", torch::arange(10));
  const std::vector<char> bytes = torch::pickle_save(both);
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const torch::Tensor expected = make()->next().inputs;

  config_.data.files.inputs = {.path = path.string(), .name = "x"};
  config_.data.files.targets = {.path = path.string(), .name = "y"};
  EXPECT_TRUE(torch::equal(make()->next().inputs, expected));

  config_.data.files.targets.name = "z";
  EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }),
              HasSubstr("found the name \"z\"; allowed: "));
  std::filesystem::resize_file(path, bytes.size() / 2);
  EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }), HasSubstr("/data/inputs: "));
}

}  // namespace
}  // namespace runahead::data
