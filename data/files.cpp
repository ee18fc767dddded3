#include "data/files.h"

#include <c10/util/StringUtil.h>

#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/tensor_files/tensor_file.h"
#include "core/train/batch_loader.h"
#include "core/train/slow_source.h"
#include "data/epoch_order.h"

namespace runahead::data {
namespace {

using train::Batch;

torch::Tensor read(const config::FileConfig& file, const std::string& pointer) {
  try {
    return tensor_files::read_tensor(file.path, file.name);
  } catch (const ConfigError& error) {
    throw ConfigError(pointer + ": " + error.what());
  }
}

torch::Tensor read_inputs(const config::ExperimentConfig& config) {
  const config::FilesConfig& files = config.data.files;
  const std::string place = files.section + "/inputs: " + files.inputs.path;
  torch::Tensor inputs = read(files.inputs, files.section + "/inputs");
  if (inputs.dim() < 1 || inputs.size(0) < 1) {
    throw ConfigError(
        place + ": found no examples; allowed: an array whose first dimension is the examples");
  }
  if (files.type == config::InputType::kInt64 && inputs.is_floating_point()) {
    throw ConfigError(place + ": found elements of type " + torch::toString(inputs.scalar_type()) +
                      "; allowed with the type int64: integers");
  }
  return inputs;
}

/// int64 classes (examples,).
torch::Tensor classes_of(const torch::Tensor& targets, const std::string& place) {
  const bool is_integral = torch::isIntegralType(targets.scalar_type(), /*includeBool=*/false);
  const bool is_vector = targets.dim() == 1 || (targets.dim() == 2 && targets.size(1) == 1);
  if (!is_integral || !is_vector) {
    throw ConfigError(place + ": found the shape " + c10::str(targets.sizes()) + " of type " +
                      torch::toString(targets.scalar_type()) +
                      "; allowed with the loss cross_entropy: one integer for each example, its "
                      "class");
  }
  torch::Tensor classes = targets.reshape({-1}).to(torch::kInt64);
  const std::int64_t least = classes.min().item<std::int64_t>();
  if (least >= 0) return classes;
  throw ConfigError(place + ": found the class " + std::to_string(least) + "; allowed: 0 or more");
}

/// float32 (examples, width).
torch::Tensor values_of(const torch::Tensor& targets, const std::string& place) {
  if (targets.dim() != 1 && targets.dim() != 2) {
    throw ConfigError(place + ": found the shape " + c10::str(targets.sizes()) +
                      "; allowed: [examples] or [examples, values]");
  }
  return targets.reshape({targets.size(0), -1}).to(torch::kFloat32);
}

torch::Tensor read_targets(const config::ExperimentConfig& config) {
  const config::FilesConfig& files = config.data.files;
  const std::string place = files.section + "/targets: " + files.targets.path;
  const torch::Tensor targets = read(files.targets, files.section + "/targets");
  if (targets.dim() == 0 || targets.size(0) == 0) {
    throw ConfigError(place + ": found no examples; allowed: a target for each example");
  }
  return config.loss == config::LossKind::kCrossEntropy ? classes_of(targets, place)
                                                        : values_of(targets, place);
}

/// The examples on the host, and batches of them. Thread-safe.
class ExampleTable {
 public:
  explicit ExampleTable(const config::ExperimentConfig& config)
      : inputs_(read_inputs(config)), targets_(read_targets(config)), files_(config.data.files) {
    if (inputs_.size(0) != targets_.size(0)) {
      throw ConfigError(files_.section + "/targets: found " + std::to_string(targets_.size(0)) +
                        " targets; allowed: " + std::to_string(inputs_.size(0)) +
                        ", one for each example of " + files_.section + "/inputs");
    }
  }

  [[nodiscard]] std::int64_t size() const { return inputs_.size(0); }

  [[nodiscard]] Batch batch_of(const std::vector<std::int64_t>& examples) const {
    const torch::Tensor places = torch::tensor(examples);
    torch::Tensor inputs = inputs_.index_select(0, places);
    if (files_.type == config::InputType::kInt64) {
      inputs = inputs.to(torch::kInt64);
    } else {
      inputs = inputs.to(torch::kFloat32);
      if (files_.scale != 1.0) inputs.mul_(files_.scale);
    }
    return {.inputs = std::move(inputs), .targets = targets_.index_select(0, places)};
  }

 private:
  torch::Tensor inputs_;
  torch::Tensor targets_;
  config::FilesConfig files_;
};

EpochOrder order_of(const config::ExperimentConfig& config, std::int64_t examples) {
  const config::DataConfig& data = config.data;
  const bool keeps_last_batch = data.files.last_batch == config::LastBatch::kKeep;
  if (data.batch_size > examples && !keeps_last_batch) {
    throw ConfigError("/data/batch_size: found " + std::to_string(data.batch_size) +
                      "; allowed: at most the " + std::to_string(examples) +
                      " examples of /data/inputs, or \"last_batch\": \"keep\"");
  }
  return EpochOrder({.examples = examples,
                     .batch_size = data.batch_size,
                     .shuffles = data.files.shuffle,
                     .keeps_last_batch = keeps_last_batch,
                     .seed = config.seed});
}

class FileSource final : public train::BatchSource {
 public:
  FileSource(const config::ExperimentConfig& config, std::unique_ptr<train::Staging> staging)
      : examples_(config),
        order_(order_of(config, examples_.size())),
        loader_options_{.threads = static_cast<std::size_t>(config.data.files.loader_threads),
                        .ahead = static_cast<std::size_t>(config.data.files.loader_ahead),
                        .intra_op_threads = config.threads.intra_op},
        staging_(std::move(staging)) {}

  Batch next() override {
    if (loader_options_.threads == 0) {
      return staging_->to_device(examples_.batch_of(order_.batch(next_++)));
    }
    if (!loader_) {
      loader_.emplace(
          loader_options_, next_, [this](std::int64_t batch) { return order_.batch(batch); },
          [this](const std::vector<std::int64_t>& places) { return examples_.batch_of(places); });
    }
    return staging_->to_device(loader_->next());
  }

  void use_cpus(const std::vector<int>& cpus) override { loader_options_.cpus = cpus; }

  void start_at(std::int64_t batch) override {
    RUNAHEAD_REQUIRE(!loader_, "start_at() comes before next()");
    next_ = batch;
  }

  [[nodiscard]] std::optional<std::int64_t> batches_in_epoch() const override {
    return order_.batches_in_epoch();
  }

 private:
  ExampleTable examples_;
  EpochOrder order_;
  train::BatchLoader::Options loader_options_;
  std::unique_ptr<train::Staging> staging_;
  std::int64_t next_ = 0;
  std::optional<train::BatchLoader> loader_{};  ///< Uses the members above.
};

}  // namespace

std::vector<std::int64_t> example_shape_of_files(const config::ExperimentConfig& config) {
  return read_inputs(config).sizes().slice(1).vec();
}

std::unique_ptr<train::BatchSource> make_file_source(const config::ExperimentConfig& config,
                                                     torch::Device /*device*/,
                                                     std::unique_ptr<train::Staging> staging) {
  return train::with_delay(std::make_unique<FileSource>(config, std::move(staging)),
                           config.data.seconds_per_batch);
}

}  // namespace runahead::data
