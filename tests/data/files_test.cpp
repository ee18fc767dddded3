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
#include "support/text_file.h"

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

  static void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  std::string write_pickled(const torch::jit::IValue& value) {
    const std::filesystem::path path = folder_.path() / "pickled.pt";
    const std::vector<char> bytes = torch::pickle_save(value);
    write_bytes(path, {bytes.data(), bytes.size()});
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
  c10::Dict<std::string, torch::Tensor> both;
  both.insert("x", inputs_);
  both.insert("y", torch::arange(10));
  const std::string path = write_pickled(both);
  const torch::Tensor expected = make()->next().inputs;

  config_.data.files.inputs = {.path = path, .name = "x"};
  config_.data.files.targets = {.path = path, .name = "y"};
  EXPECT_TRUE(torch::equal(make()->next().inputs, expected));

  config_.data.files.targets.name = "z";
  EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }),
              HasSubstr("found the name \"z\"; allowed: "));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }), HasSubstr("/data/inputs: "));
}

TEST_F(FilesTest, RefusesWhatTorchSavedOfAnotherType) {
  const torch::Tensor floats = torch::ones({10, 6});
  for (const torch::Tensor& inputs :
       {torch::complex(floats, floats), floats.to_sparse(),
        at::quantize_per_tensor(floats, /*scale=*/0.1, /*zero_point=*/0, torch::kQInt8)}) {
    config_.data.files.inputs.path = write_pickled(inputs);
    EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }),
                HasSubstr("; allowed: a dense one of bool, uint8, "));
  }
  config_.data.files.inputs.path = write("floats", floats);
  config_.data.files.type = config::InputType::kInt64;
  EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }),
              HasSubstr("found elements of type Float; allowed with the type int64: integers"));
}

struct Claim {
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> strides{};
  std::int64_t offset = 0;
  char storage_elements = 60;
};

class FileOfTorch : public FilesTest, public ::testing::WithParamInterface<Claim> {};

// The C++ reader of torch believes what a file claims.
TEST_P(FileOfTorch, IsReadOnlyWithinItsBytes) {
  const Claim& claim = GetParam();
  inputs_.unsafeGetTensorImpl()->set_sizes_and_strides(claim.shape, claim.strides, claim.offset);
  const std::string path = write_pickled(inputs_);
  std::string bytes = test::read_text(path);
  const std::size_t place = bytes.find("K\x3ctQ");  // The last item of a tuple: 60 elements.
  ASSERT_NE(place, std::string::npos);
  bytes[place + 1] = claim.storage_elements;
  write_bytes(path, bytes);
  config_.data.files.inputs.path = path;

  EXPECT_THAT(test::error_message<ConfigError>([&] { make(); }),
              HasSubstr("; allowed: elements within the 60 bytes that the file has for them"));
}

constexpr std::int64_t kHuge = std::int64_t{1} << 62;
INSTANTIATE_TEST_SUITE_P(
    Beyond, FileOfTorch,
    ::testing::Values(Claim{.shape = {10, 7}, .strides = {7, 1}},
                      Claim{.shape = {10, 12}, .strides = {12, 1}, .storage_elements = 127},
                      Claim{.shape = {10, 6}, .strides = {6, 1}, .offset = 1},
                      Claim{.shape = {10, 6}, .strides = {6, 1}, .offset = -1},
                      Claim{.shape = {10, 6}, .strides = {kHuge, 1}},
                      Claim{.shape = {3, 3}, .strides = {kHuge - 1, kHuge - 1}}));

}  // namespace
}  // namespace runahead::data
