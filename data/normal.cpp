#include "data/normal.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/utils.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/train/slow_source.h"

namespace runahead::data {
namespace {

using train::Batch;
using train::BatchSource;
using train::Staging;

/// Makes one batch after another on a given device.
class NormalBatches {
 public:
  explicit NormalBatches(const config::ExperimentConfig& config)
      : data_(config.data), class_targets_(config.loss == config::LossKind::kCrossEntropy) {}

  [[nodiscard]] Batch make(torch::Device device, std::optional<at::Generator> generator) const {
    return {.inputs = torch::randn({data_.batch_size, data_.features}, std::move(generator),
                                   torch::dtype(torch::kFloat32).device(device)),
            .targets = make_targets(device)};
  }

 private:
  [[nodiscard]] torch::Tensor make_targets(torch::Device device) const {
    if (class_targets_) {
      return torch::full({data_.batch_size}, data_.targets.value,
                         torch::dtype(torch::kInt64).device(device));
    }
    return torch::full({data_.batch_size, data_.targets.width}, data_.targets.value,
                       torch::dtype(torch::kFloat32).device(device));
  }

  config::DataConfig data_;
  bool class_targets_;
};

class HostSource final : public BatchSource {
 public:
  HostSource(const config::ExperimentConfig& config, std::unique_ptr<Staging> staging)
      : batches_(config),
        generator_(at::make_generator<at::CPUGeneratorImpl>(config.seed)),
        staging_(std::move(staging)) {}

  Batch next() override { return staging_->to_device(batches_.make(torch::kCPU, generator_)); }

 private:
  NormalBatches batches_;
  at::Generator generator_;
  std::unique_ptr<Staging> staging_;
};

class DeviceSource final : public BatchSource {
 public:
  DeviceSource(const config::ExperimentConfig& config, torch::Device device)
      : batches_(config), device_(device) {
    torch::manual_seed(config.seed);
  }

  Batch next() override { return batches_.make(device_, std::nullopt); }

 private:
  NormalBatches batches_;
  torch::Device device_;
};

class PoolSource final : public BatchSource {
 public:
  PoolSource(const config::ExperimentConfig& config, std::unique_ptr<Staging> staging)
      : staging_(std::move(staging)) {
    const NormalBatches batches(config);
    at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(config.seed);
    const auto wanted = static_cast<std::size_t>(config.batches + config.warmup_batches);
    pool_.push_back(batches.make(torch::kCPU, generator));
    const std::size_t batch_bytes = pool_.front().inputs.nbytes() + pool_.front().targets.nbytes();
    while (pool_.size() < wanted && (pool_.size() + 1) * batch_bytes <= kPoolBytes) {
      pool_.push_back(batches.make(torch::kCPU, generator));
    }
  }

  Batch next() override { return staging_->to_device(pool_[next_++ % pool_.size()]); }

 private:
  std::unique_ptr<Staging> staging_;
  std::vector<Batch> pool_{};
  std::size_t next_ = 0;
};

std::unique_ptr<BatchSource> make_source(const config::ExperimentConfig& config,
                                         torch::Device device, std::unique_ptr<Staging> staging) {
  using config::DataMade;
  switch (config.data.made) {
    case DataMade::kOnHost:
      return std::make_unique<HostSource>(config, std::move(staging));
    case DataMade::kOnDevice:
      return std::make_unique<DeviceSource>(config, device);
    case DataMade::kBeforehand:
      return std::make_unique<PoolSource>(config, std::move(staging));
  }
  throw UsageError("make_normal_source: data.made is out of its range");
}

}  // namespace

std::unique_ptr<BatchSource> make_normal_source(const config::ExperimentConfig& config,
                                                torch::Device device,
                                                std::unique_ptr<Staging> staging) {
  return train::with_delay(make_source(config, device, std::move(staging)),
                           config.data.seconds_per_batch);
}

}  // namespace runahead::data
