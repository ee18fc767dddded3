#include <gmock/gmock.h>
#include <torch/serialize.h>
#include <torch/types.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/tensor_files/tensor_file.h"
#include "data/epoch_order.h"
#include "data/files.h"
#include "data/normal.h"
#include "support/error_message.h"
#include "support/text_file.h"

namespace runahead::data {
namespace {

using config::DataMade;
using train::Batch;
using train::BatchSource;

class NormalTest : public ::testing::TestWithParam<DataMade> {
 protected:
  NormalTest() {
    config_.batches = 3;
    config_.data = {
        .features = 5, .targets = {.value = 2.5, .width = 2}, .batch_size = 4, .made = GetParam()};
  }

  std::unique_ptr<BatchSource> make() {
    return make_normal_source(config_, torch::kCPU,
                              std::make_unique<train::PageableStaging>(torch::kCPU));
  }

  config::ExperimentConfig config_{};
};

TEST_P(NormalTest, BatchesHaveTheShapesOfTheConfigAndNormallyDistributedInputs) {
  config_.data.batch_size = 200;
  config_.data.features = 300;
  const Batch batch = make()->next();

  EXPECT_EQ(batch.inputs.sizes().vec(), (std::vector<std::int64_t>{200, 300}));
  EXPECT_EQ(batch.inputs.scalar_type(), torch::kFloat32);
  EXPECT_NEAR(batch.inputs.mean().item<double>(), 0.0, 0.02);
  EXPECT_NEAR(batch.inputs.std().item<double>(), 1.0, 0.02);
  EXPECT_TRUE(torch::equal(batch.targets, torch::full({200, 2}, 2.5F)));
  config_.loss = config::LossKind::kCrossEntropy;
  config_.data.targets = {.value = 3.0, .width = 1};
  EXPECT_TRUE(torch::equal(make()->next().targets, torch::full({200}, 3, torch::kInt64)));
}

TEST_P(NormalTest, EqualSeedsGiveEqualBatchesAndEachBatchIsAnother) {
  const auto first = make();
  const Batch one = first->next();
  const Batch two = first->next();
  const auto again = make();

  EXPECT_TRUE(torch::equal(again->next().inputs, one.inputs));
  EXPECT_TRUE(torch::equal(again->next().inputs, two.inputs));
  EXPECT_FALSE(torch::equal(one.inputs, two.inputs));
  config_.seed = 1;
  EXPECT_FALSE(torch::equal(make()->next().inputs, one.inputs));
}

INSTANTIATE_TEST_SUITE_P(AllWays, NormalTest,
                         ::testing::Values(DataMade::kOnHost, DataMade::kOnDevice,
                                           DataMade::kBeforehand));

std::unique_ptr<BatchSource> source_of(const config::DataConfig& data) {
  config::ExperimentConfig config;
  config.batches = 2;
  config.warmup_batches = 1;
  config.data = data;
  return make_normal_source(config, torch::kCPU,
                            std::make_unique<train::PageableStaging>(torch::kCPU));
}

TEST(NormalPool, HoldsABatchForEachOfTheRunAndThenTheSameAgain) {
  const auto source = source_of({.features = 5, .batch_size = 4, .made = DataMade::kBeforehand});
  std::vector<torch::Tensor> inputs;
  for (int i = 0; i < 4; ++i) inputs.push_back(source->next().inputs);

  EXPECT_FALSE(torch::equal(inputs[0], inputs[1]));
  EXPECT_FALSE(torch::equal(inputs[0], inputs[2]));
  EXPECT_TRUE(inputs[3].is_same(inputs[0]));
}

TEST(Normal, OfASlowSourceTakesItsTime) {
  const auto source = source_of({.features = 2, .batch_size = 3, .seconds_per_batch = 0.02});
  const TimePoint begun = Clock::now();

  EXPECT_EQ(source->next().inputs.size(0), 3);
  EXPECT_GE(seconds_between(begun, Clock::now()), 0.02);
}

using ::testing::HasSubstr;

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

std::vector<std::int64_t> epoch_of(EpochOrder& order, std::int64_t epoch) {
  std::vector<std::int64_t> examples;
  for (std::int64_t i = 0; i < order.batches_in_epoch(); ++i) {
    const auto batch = order.batch(epoch * order.batches_in_epoch() + i);
    examples.insert(examples.end(), batch.begin(), batch.end());
  }
  return examples;
}

std::vector<std::int64_t> all_of(std::int64_t examples) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(examples));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

TEST(EpochOrder, HasEachExampleOnceInAnEpoch) {
  EpochOrder order({.examples = 100, .batch_size = 7, .keeps_last_batch = true, .seed = 3});

  for (const std::int64_t epoch : {0, 1, 5}) {
    std::vector<std::int64_t> examples = epoch_of(order, epoch);
    EXPECT_NE(examples, all_of(100));
    std::sort(examples.begin(), examples.end());
    EXPECT_EQ(examples, all_of(100)) << epoch;
  }
}

TEST(EpochOrder, DropsOrKeepsTheLastBatch) {
  EpochOrder dropping({.examples = 10, .batch_size = 4});
  EXPECT_EQ(dropping.batches_in_epoch(), 2);
  EXPECT_EQ(epoch_of(dropping, 0).size(), 8U);

  EpochOrder keeping({.examples = 10, .batch_size = 4, .keeps_last_batch = true});
  EXPECT_EQ(keeping.batches_in_epoch(), 3);
  EXPECT_EQ(keeping.batch(2).size(), 2U);
  EXPECT_EQ(keeping.batch(5).size(), 2U);
}

TEST(EpochOrder, DiffersByEpochAndSeedAlone) {
  const EpochOrder::Options options{.examples = 50, .batch_size = 50, .seed = 1};
  EpochOrder one(options);
  EpochOrder same(options);
  EpochOrder other({.examples = 50, .batch_size = 50, .seed = 2});

  const std::vector<std::int64_t> second_epoch = one.batch(1);
  EXPECT_NE(one.batch(0), second_epoch);
  EXPECT_EQ(same.batch(1), second_epoch) << "whatever was asked for before";
  EXPECT_NE(other.batch(0), one.batch(0));
  EXPECT_NE(other.batch(0), second_epoch) << "the next seed is not the next epoch";
  EpochOrder files({.examples = 6, .batch_size = 3, .shuffles = false});
  EXPECT_EQ(files.batch(0), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(files.batch(3), (std::vector<std::int64_t>{3, 4, 5}))
      << "that of the files, unless it shuffles";
}

}  // namespace
}  // namespace runahead::data
