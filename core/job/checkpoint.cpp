#include "core/job/checkpoint.h"

#include <ATen/Context.h>
#include <torch/types.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/job/optimizer_state.h"
#include "core/tensor_files/tensor_file.h"

namespace runahead::job {
namespace {

using Tensors = std::map<std::string, torch::Tensor>;

constexpr const char* kModel = "model.";
constexpr const char* kBuffer = "buffer.";
constexpr const char* kOptimizer = "optimizer.";
constexpr const char* kCpuGenerator = "generator.cpu";
constexpr const char* kDeviceGenerator = "generator.device";
constexpr const char* kBatches = "job.batches";
constexpr const char* kJob = "job.config";

torch::Tensor bytes_of_text(const std::string& text) {
  return torch::tensor(
      torch::ArrayRef(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()),
      torch::kUInt8);
}

std::string text_of_bytes(const torch::Tensor& bytes) {
  const torch::Tensor whole = bytes.contiguous();
  return {static_cast<const char*>(whole.const_data_ptr()), whole.nbytes()};
}

torch::Tensor generator_state(torch::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_generator_state(torch::Device device, const torch::Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state.clone());
}

/// Whether a saved setting equals the job's. A key that the file lacks is newer than the file, and
/// must have its default.
bool is_same(const Json& saved, const Json& job, const Json& defaults) {
  if (!saved.is_object() || !job.is_object()) return saved == job;
  for (const auto& [key, value] : saved.items()) {
    if (!job.contains(key)) return false;
  }
  for (const auto& [key, value] : job.items()) {
    const Json known = defaults.is_object() ? defaults.value(key, Json()) : Json();
    if (saved.contains(key) ? !is_same(saved.at(key), value, known) : value != known) return false;
  }
  return true;
}

/// All tensors of a checkpoint.
Tensors tensors_of(TrainingState& state, std::int64_t batches) {
  Tensors tensors;
  for (const auto& parameter : state.module.named_parameters()) {
    tensors[kModel + parameter.key()] = parameter.value();
  }
  for (const auto& buffer : state.module.named_buffers()) {
    tensors[kBuffer + buffer.key()] = buffer.value();
  }
  for (const auto& [name, tensor] : optimizer_state(state.optimizer)) {
    tensors[kOptimizer + name] = tensor;
  }
  tensors[kCpuGenerator] = generator_state(torch::kCPU);
  if (!state.device.is_cpu()) tensors[kDeviceGenerator] = generator_state(state.device);
  tensors[kBatches] = torch::tensor(batches, torch::kInt64);
  tensors[kJob] = bytes_of_text(dump_json(state.job));
  return tensors;
}

/// A checkpoint that was read. Its functions throw ConfigError saying what is wrong with it.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : path_(path), tensors_(tensor_files::read_tensors(path)) {}

  [[nodiscard]] const torch::Tensor& named(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) return found->second;
    throw ConfigError(path_.string() + ": found no '" + name +
                      "'; allowed: a checkpoint of this job; remove the file to start again");
  }

  void copy_to(torch::Tensor tensor, const std::string& name) const {
    const torch::Tensor& saved = named(name);
    if (saved.sizes() != tensor.sizes() || saved.scalar_type() != tensor.scalar_type()) {
      throw ConfigError(path_.string() + ": '" + name + "' has another shape or type than the " +
                        "model's; remove the file to start again");
    }
    const torch::NoGradGuard no_grad;
    tensor.copy_(saved);
  }

  /// The tensors whose names start with `prefix`, under their names without it.
  [[nodiscard]] Tensors below(const std::string& prefix) const {
    Tensors found;
    for (const auto& [name, tensor] : tensors_) {
      if (name.starts_with(prefix)) found[name.substr(prefix.size())] = tensor;
    }
    return found;
  }

  void require_job(const Json& job, const Json& defaults) const {
    const Json saved = parse_json(text_of_bytes(named(kJob)), path_.string());
    for (const auto& [section, value] : job.items()) {
      if (is_same(saved.value(section, Json()), value, defaults.value(section, Json()))) continue;
      throw ConfigError(path_.string() + ": found a checkpoint of a job that differs in /" +
                        section + "; allowed: the same job with more batches; set " +
                        "/checkpoint/path to another file, or remove this one");
    }
  }

 private:
  std::filesystem::path path_;
  Tensors tensors_;
};

}  // namespace

void save_checkpoint(const std::filesystem::path& path, TrainingState state, std::int64_t batches) {
  tensor_files::write_tensors(path, tensors_of(state, batches));
}

std::int64_t load_checkpoint(const std::filesystem::path& path, TrainingState state) {
  const Reader saved(path);
  saved.require_job(state.job, state.job_defaults);
  for (const auto& parameter : state.module.named_parameters()) {
    saved.copy_to(parameter.value(), kModel + parameter.key());
  }
  for (const auto& buffer : state.module.named_buffers()) {
    saved.copy_to(buffer.value(), kBuffer + buffer.key());
  }
  restore_optimizer_state(saved.below(kOptimizer), state.optimizer);
  set_generator_state(torch::kCPU, saved.named(kCpuGenerator));
  if (!state.device.is_cpu()) {
    set_generator_state(state.device, saved.named(kDeviceGenerator));
  }
  return saved.named(kBatches).item<std::int64_t>();
}

Checkpointer::Checkpointer(std::filesystem::path path, TrainingState state, std::int64_t every,
                           std::int64_t batches_before)
    : path_(std::move(path)),
      state_(std::move(state)),
      every_(every),
      batches_(batches_before),
      saved_at_(batches_before) {
  RUNAHEAD_REQUIRE(every >= 1, "a checkpoint every 0 batches");
  for (const auto& [name, tensor] : tensors_of(state_, batches_)) {
    tensor_files::require_storable(tensor, "/checkpoint: '" + name + "'");
  }
}

void Checkpointer::after_wait(const train::IssuedBatch& /*batch*/) {
  if (++batches_ % every_ == 0) save();
}

void Checkpointer::save() {
  if (saved_at_ == batches_) return;
  save_checkpoint(path_, state_, batches_);
  saved_at_ = batches_;
}

}  // namespace runahead::job
