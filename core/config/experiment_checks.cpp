#include "core/config/experiment_checks.h"

#include <algorithm>
#include <cmath>

#include "core/base/bytes.h"
#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "core/base/json_reader.h"
#include "core/config/experiment_kinds.h"
#include "core/engine/allocator_settings.h"

namespace runahead::config {
namespace {

constexpr std::uint64_t kElementBytes = 4;  // float32.
constexpr double kMinRateHz = 0.001;

/// Reports a float32 tensor of `rows` x `columns`, each at most 2^24, that is larger than allowed.
void check_tensor(const std::string& what, const std::string& pointer, std::int64_t rows,
                  std::int64_t columns, JsonProblems& problems) {
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns) * kElementBytes;
  if (bytes > kMaxTensorBytes) {
    problems.add(pointer, "found " + what + " of " + std::to_string(rows) + " x " +
                              std::to_string(columns) + ", " + format_bytes(bytes) +
                              "; allowed: tensors of at most " + format_bytes(kMaxTensorBytes) +
                              "; make one of the two sizes smaller");
  }
}

void check_batch(const ExperimentConfig& config, JsonProblems& problems) {
  const DataConfig& data = config.data;
  if (data.kind != "normal") return;
  check_tensor("a batch", "/data/features", data.batch_size, data.features, problems);
  check_tensor("targets", "/data/targets/width", data.batch_size, data.targets.width, problems);
}

void check_model(const ExperimentConfig& config, JsonProblems& problems) {
  const DataConfig& data = config.data;
  if (config.model.kind != "mlp") return;
  std::int64_t inputs = data.kind == "normal" ? data.features : 1;
  for (std::size_t index = 0; index < config.model.layers.size(); ++index) {
    const std::string pointer = "/model/layers/" + std::to_string(index);
    const std::int64_t outputs = config.model.layers[index];
    check_tensor("a layer's weights", pointer, outputs, inputs, problems);
    check_tensor("a layer's outputs", pointer, data.batch_size, outputs, problems);
    inputs = outputs;
  }
}

/// Checks only what the config determines; files and the user's models are checked when read.
void check_targets(const ExperimentConfig& config, JsonProblems& problems) {
  if (config.model.kind != "mlp" || config.data.kind != "normal") return;
  const TargetsConfig& targets = config.data.targets;
  const std::int64_t outputs = config.model.layers.back();
  if (config.loss != LossKind::kCrossEntropy) {
    if (targets.width != outputs) {
      problems.add_found("/data/targets/width", targets.width,
                         std::to_string(outputs) + ", the width of the last of /model/layers");
    }
    return;
  }
  if (targets.width != 1) {
    problems.add_found("/data/targets/width", targets.width,
                       "1 with the loss cross_entropy, whose targets are classes");
  }
  if (targets.value != std::trunc(targets.value) || targets.value < 0.0 ||
      targets.value >= static_cast<double>(outputs)) {
    problems.add_found("/data/targets/value", targets.value,
                       "with the loss cross_entropy a class, an integer from 0 to " +
                           std::to_string(outputs - 1) + " (the last of /model/layers gives " +
                           std::to_string(outputs) + ")");
  }
}

void require_path(const std::string& path, const std::string& pointer, JsonProblems& problems) {
  if (path.empty()) problems.add(pointer, "found no path; allowed: the path of a file");
}

/// Checks the paths that a config must have.
void check_paths(const ExperimentConfig& config, bool has_model, JsonProblems& problems) {
  if (has_model && config.model.kind == "torchscript") {
    require_path(config.model.path, "/model/path", problems);
  }
  if (config.data.kind == "files") {
    require_path(config.data.files.inputs.path, "/data/inputs/path", problems);
    require_path(config.data.files.targets.path, "/data/targets/path", problems);
  }
  if (config.evaluation.is_on) {
    require_path(config.evaluation.inputs.path, "/evaluation/inputs/path", problems);
    require_path(config.evaluation.targets.path, "/evaluation/targets/path", problems);
  }
  if (config.checkpoint.is_on) require_path(config.checkpoint.path, "/checkpoint/path", problems);
}

/// Checks that a job can resume exactly where it was saved.
void check_job(const ExperimentConfig& config, JsonProblems& problems) {
  if (config.evaluation.is_on && config.data.kind != "files") {
    problems.add("/evaluation",
                 "found an evaluation with data of the kind \"" + config.data.kind +
                     "\", which has nothing to learn; allowed: /data/kind \"files\"");
  }
  if (!config.checkpoint.is_on) return;
  if (config.data.kind != "files") {
    problems.add("/checkpoint",
                 "found a checkpoint with data of the kind \"" + config.data.kind +
                     "\", which cannot resume where it stopped; allowed: /data/kind \"files\"");
  }
  if (config.warmup_batches != 0) {
    const bool is_default = config.warmup_batches == ExperimentConfig{}.warmup_batches;
    problems.add("/warmup_batches",
                 "found " + std::to_string(config.warmup_batches) +
                     (is_default ? ", the default" : "") +
                     "; allowed with a checkpoint: 0, because warm-up batches train the model; " +
                     (is_default ? "add \"warmup_batches\": 0" : "set it to 0"));
  }
}

/// Checks x in y = x + 1, and that its costs can be fitted.
void check_program(const ProgramConfig& program, JsonProblems& problems) {
  auto bytes = static_cast<double>(kElementBytes);
  for (const std::int64_t width : program.shape) bytes *= static_cast<double>(width);
  if (bytes > static_cast<double>(kMaxTensorBytes)) {
    problems.add("/shape", "found a tensor of more than " + format_bytes(kMaxTensorBytes) +
                               "; allowed: at most that; make a size smaller");
  }
  const auto [least, most] = std::ranges::minmax_element(program.fitted_operations);
  if (*least == *most) {
    problems.add("/fitted_operations", "found " + std::to_string(*least) +
                                           " alone; allowed: two different numbers at least, "
                                           "since what one more operation takes is fitted");
  }
}

void check_limit(const ExperimentConfig& config, JsonProblems& problems) {
  const LimitConfig& limit = config.acpu.limit;
  if (limit.kind != LimitConfig::Kind::kExplicit) return;
  if (!limit.operations && !limit.bytes && !limit.seconds) {
    problems.add("/acpu/limit",
                 "found no bound; allowed: at least one of \"operations\", \"bytes\", \"seconds\"; "
                 "for no limit write \"off\"");
  }
  const std::optional<std::uint64_t> budget = config.sync->budget_bytes();
  if (config.device == "acpu" && budget && limit.bytes && *limit.bytes != *budget) {
    problems.add("/acpu/limit/bytes", "found " + std::to_string(*limit.bytes) +
                                          ", and the sync policy \"" + config.sync.policy() +
                                          "\" sets it to /sync/bytes, " + std::to_string(*budget) +
                                          "; allowed: the same, or only one of them");
  }
}

void check_allocator(const AcpuConfig& acpu, JsonProblems& problems) {
  try {
    static_cast<void>(engine::parse_allocator_settings(acpu.allocator));
  } catch (const ConfigError& error) {
    problems.add("/acpu/allocator", error.what());
  }
  if (acpu.allocation == Allocation::kCaching) {
    if (acpu.freed_memory == FreedMemory::kKept) {
      problems.add(
          "/acpu/freed_memory",
          "found \"kept\" with allocation \"caching\", which keeps memory itself; allowed: "
          "\"returned\"");
    }
    return;
  }
  const auto refuse = [&](const char* pointer, const std::string& found) {
    problems.add(pointer, "found " + found + " with /acpu/allocation \"" +
                              names_of<Allocation>()[static_cast<std::size_t>(acpu.allocation)] +
                              "\"; allowed: only with \"caching\"");
  };
  if (!acpu.allocator.empty()) refuse("/acpu/allocator", dump_json(acpu.allocator));
  if (!acpu.capacity_bytes) return;
  refuse("/acpu/capacity", std::to_string(*acpu.capacity_bytes) + " bytes");
}

void check_cuda(const CudaConfig& cuda, JsonProblems& problems) {
  if (cuda.expandable_segments && cuda.allocator != CudaAllocator::kNative) {
    problems.add("/cuda/expandable_segments",
                 "found true with the allocator \"cuda_malloc_async\", which has no segments; "
                 "allowed: false, or /cuda/allocator \"native\"");
  }
}

void check_optimizer(const OptimizerConfig& optimizer, JsonProblems& problems) {
  if (optimizer.kind != OptimizerKind::kSgd && optimizer.momentum != 0.0) {
    problems.add_found("/optimizer/momentum", optimizer.momentum,
                       "0 with adam and adamw, which have none; for momentum use \"sgd\"");
  }
}

void check_monitor(const MonitorConfig& monitor, JsonProblems& problems) {
  if (monitor.rate_hz > 0.0 && monitor.rate_hz < kMinRateHz) {
    problems.add_found("/monitor/rate_hz", monitor.rate_hz, "0 (no monitor), or 0.001 to 10000");
  }
}

/// A buffer is rewritten once a later batch is requested: see train::ReuseCopies.
void check_reuse(const ExperimentConfig& config, JsonProblems& problems) {
  const std::int64_t most = config.cuda.buffers - 2;
  if (config.cuda.copies != Copies::kSideReuse || config.data.prefetch <= most) return;
  problems.add("/data/prefetch",
               "found " + std::to_string(config.data.prefetch) + "; allowed: at most " +
                   std::to_string(most) + ", because /cuda/copies is \"side_reuse\" and " +
                   "/cuda/buffers is " + std::to_string(config.cuda.buffers) +
                   "; lower it, set /cuda/buffers to " + std::to_string(config.data.prefetch + 2) +
                   " or more, or choose another /cuda/copies");
}

}  // namespace

void check(const ExperimentConfig& config, JsonProblems& problems) {
  const ExperimentKind& kind = kind_of(config.experiment);
  if (kind.runs_command) check(config.command, problems);
  check_batch(config, problems);
  if (kind.has_model) check_model(config, problems);
  if (kind.trains) check_targets(config, problems);
  check_paths(config, kind.has_model, problems);
  if (kind.trains) check_job(config, problems);
  check_program(config.program, problems);
  check_limit(config, problems);
  check_allocator(config.acpu, problems);
  check_cuda(config.cuda, problems);
  check_optimizer(config.optimizer, problems);
  check_monitor(config.monitor, problems);
}

void require_runnable(const ExperimentConfig& config, const std::string& source) {
  JsonProblems problems(source);
  if (config.device.starts_with("cuda")) check_reuse(config, problems);
  problems.throw_if_any();
}

}  // namespace runahead::config
