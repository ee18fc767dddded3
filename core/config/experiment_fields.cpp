#include "core/config/experiment_kinds.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

using Names = std::vector<std::string>;

constexpr std::int64_t kMaxWidth = std::int64_t{1} << 24;
constexpr double kMaxSeconds = 365.0 * 86400.0;

std::size_t index_of(const std::string& name, const Names& names) {
  const auto found = std::ranges::find(names, name);
  RUNAHEAD_REQUIRE(found != names.end(), "\"" + name + "\" is not one of " + quoted_list(names));
  return static_cast<std::size_t>(found - names.begin());
}

const Names kModels{"mlp", "torchscript"};
const Names kData{"normal", "files"};

/// A section whose keys depend on its `kind`.
void kinds(Fields& fields, const Key& key, std::string& kind, const Names& names,
           const Fields::Alternatives& describe) {
  std::size_t index = index_of(kind, names);
  fields.variant(key, index, names, /*is_required=*/false, describe);
  kind = names[index];
}

void path(Fields& fields, const char* doc, std::string& value) {
  fields.text({"path", doc}, value,
              {"", "a path", [](const std::string& text) { return text.size() <= 4096; }});
}

void describe(FileConfig& file, Fields& fields) {
  path(fields, "The file: .npy, .npz, IDX, .safetensors, or .pt as torch.save writes it.",
       file.path);
  fields.text({"name", "Name of the array, in a file that holds several."}, file.name,
              {"", "a name", [](const std::string& text) { return text.size() <= 4096; }});
}

void describe_mlp(ModelConfig& model, Fields& fields) {
  fields.integers({"layers", "Output width of each layer, from the input to the output."},
                  model.layers, {1, 256}, {1, kMaxWidth});
  fields.choice({"activation", "Between layers, not after the last."}, model.activation);
  fields.choice(
      {"init", "Initial weights: torch's own, or gluon's, uniform in ±0.07 with zero bias."},
      model.init);
  fields.choice(
      {"normalization", "Before each activation: over the batch, over the layer, or none."},
      model.normalization);
  fields.number({"dropout", "Share of the values that are dropped after each activation."},
                model.dropout, {0.0, 0.999});
}

void describe_torchscript(ModelConfig& model, Fields& fields) {
  path(fields, "The file, as torch.jit.save writes it. Loading it runs code that it holds.",
       model.path);
  fields.integers(
      {"input_shape", "Shape of one example that the module takes; empty: the shape in the data."},
      model.input_shape, {0, 16}, {1, kMaxWidth});
}

void describe(ModelConfig& model, Fields& fields) {
  kinds(fields,
        {"kind",
         "Which model: mlp is fully connected layers, torchscript is a file that Python wrote."},
        model.kind, kModels, [&model](std::size_t kind, Fields& keys) {
          kind == 0 ? describe_mlp(model, keys) : describe_torchscript(model, keys);
        });
}

void describe_batch_size(DataConfig& data, Fields& fields) {
  fields.integer({"batch_size", "Examples in a batch."}, data.batch_size, {1, kMaxWidth});
}

void describe_source(DataConfig& data, Prefetch prefetch, Fields& fields) {
  if (prefetch == Prefetch::kYes) {
    fields.integer({"prefetch", "Batches that a separate thread prepares ahead; 0: no thread."},
                   data.prefetch, {0, 1024});
  }
  fields.seconds({"seconds_per_batch", "Front-end time added to each batch: a slow source."},
                 data.seconds_per_batch, {0.0, 3600.0});
}

void describe_normal(DataConfig& data, Fields& fields) {
  fields.integer({"features", "Width of the inputs."}, data.features, {1, kMaxWidth});
  fields.section({"targets", "What the model learns."}, [&data](Fields& targets) {
    targets.number({"value", "The one value of every target; a class for cross_entropy."},
                   data.targets.value, {-1e30, 1e30});
    targets.integer({"width", "Width of the targets: the last layer's; 1 for cross_entropy."},
                    data.targets.width, {1, kMaxWidth});
  });
  describe_batch_size(data, fields);
  fields.choice(
      {"made",
       "Where batches are made: by the front end and then copied, by operations of the device, "
       "or all before the clock starts."},
      data.made);
}

void describe_inputs(FilesConfig& files, Fields& fields) {
  describe(files.inputs, fields);
  fields.number({"scale", "Factor by which float32 inputs are multiplied."}, files.scale,
                {-1e30, 1e30});
  fields.choice({"type", "Type to which inputs are converted."}, files.type);
}

void describe_files(DataConfig& data, Fields& fields) {
  FilesConfig& files = data.files;
  fields.section({"inputs", "Inputs of the examples: the first dimension counts them."},
                 [&files](Fields& keys) { describe_inputs(files, keys); });
  fields.section(
      {"targets", "A class of each example for cross_entropy; else a value, or a row of them."},
      [&files](Fields& keys) { describe(files.targets, keys); });
  describe_batch_size(data, fields);
  fields.boolean({"shuffle", "Whether each epoch has its own order, which the seed determines."},
                 files.shuffle);
  fields.choice(
      {"last_batch", "What happens to the last examples of an epoch if they do not fill a batch."},
      files.last_batch);
  fields.integer(
      {"loader_threads", "Threads that gather batches on the host; 0: the front end does."},
      files.loader_threads, {0, 256});
  fields.integer({"loader_ahead", "Batches that each of these threads may have ready."},
                 files.loader_ahead, {1, 1024});
}

void describe(DataConfig& data, Prefetch prefetch, Fields& fields) {
  kinds(fields,
        {"kind", "Where examples come from: normal draws inputs from N(0, 1), files reads them."},
        data.kind, kData, [&data, prefetch](std::size_t kind, Fields& keys) {
          kind == 0 ? describe_normal(data, keys) : describe_files(data, keys);
          describe_source(data, prefetch, keys);
        });
}

void describe(OptimizerConfig& optimizer, Fields& fields) {
  fields.choice({"kind", "How parameters are updated."}, optimizer.kind);
  fields.number({"learning_rate", "Step size."}, optimizer.learning_rate, {0.0, 1e6});
  fields.number({"momentum", "Share of the last update that is kept; sgd only."},
                optimizer.momentum, {0.0, 1.0});
  fields.number({"weight_decay", "L2 penalty; decoupled from the gradient for adamw."},
                optimizer.weight_decay, {0.0, 1e6});
  fields.boolean({"fused",
                  "Whether one operation updates all parameters. Results differ in their last "
                  "bits, except for sgd without momentum."},
                 optimizer.fused);
}

/// "off", or an object.
void off_or_section(Fields& fields, const Key& key, bool& is_on, const Fields::Section& describe) {
  std::size_t word = is_on ? 1 : 0;
  fields.word_or_section(key, word, {"off"}, describe);
  is_on = word == 1;
}

void describe(EvaluationConfig& evaluation, Fields& fields) {
  fields.integer({"every", "Batches from one evaluation to the next; 0: only after the last."},
                 evaluation.every, {0, train::kMostBatches});
  fields.section({"inputs", "Inputs for evaluation, with the scale and type of those in data."},
                 [&evaluation](Fields& keys) { describe(evaluation.inputs, keys); });
  fields.section({"targets", "Targets for evaluation."},
                 [&evaluation](Fields& keys) { describe(evaluation.targets, keys); });
}

void describe(CheckpointConfig& checkpoint, Fields& fields) {
  path(fields, "A safetensors file; a run resumes from it if it exists.", checkpoint.path);
  fields.integer({"every", "Batches from one save to the next; each save waits."}, checkpoint.every,
                 {1, train::kMostBatches});
}

void describe(LimitConfig& limit, Fields& fields) {
  fields.whole({"operations", "Most operations in flight; null: no bound."}, limit.operations,
               {1, std::uint64_t{1} << 32});
  fields.bytes({"bytes", "Most committed bytes; null: no bound."}, limit.bytes,
               {1, train::kMostBytes});
  fields.seconds({"seconds", "Highest age of the oldest operation in flight; null: no bound."},
                 limit.seconds, {0.0, kMaxSeconds, /*above_min=*/true});
}

void describe(AcpuConfig& acpu, Fields& fields) {
  fields.integer({"workers", "Threads that execute operations; 0: each runs when it is issued."},
                 acpu.workers, {0, 256});
  fields.choice({"ready_order", "Which of the ready operations runs next."}, acpu.ready_order);
  fields.choice({"allocation", "When the memory of an output is claimed."}, acpu.allocation);
  fields.text(
      {"allocator",
       "Settings of allocation caching, in the format of PYTORCH_CUDA_ALLOC_CONF: "
       "expandable_segments, max_split_size_mb, roundup_power2_divisions, "
       "garbage_collection_threshold, wait_before_failing."},
      acpu.allocator,
      {"", "text such as \"expandable_segments:True\"", [](const std::string&) { return true; }});
  fields.bytes(
      {"capacity", "Most bytes that segments of allocation caching may take; null: no bound."},
      acpu.capacity_bytes, {1, train::kMostBytes});
  fields.choice(
      {"products",
       "Which library multiplies matrices: LibTorch's, as on cpu; or oneDNN where it is faster."},
      acpu.products);
  fields.choice(
      {"freed_memory",
       "What happens to the freed memory of results: returned, so that it leaves RSS; or kept "
       "for later results, which saves page faults."},
      acpu.freed_memory);
  auto kind = static_cast<std::size_t>(acpu.limit.kind);
  fields.word_or_section(
      {"limit", "How far the front end may run ahead: guard is a share of the available memory."},
      kind, {"guard", "off"}, [&acpu](Fields& keys) { describe(acpu.limit, keys); });
  acpu.limit.kind = static_cast<LimitConfig::Kind>(kind);
}

void describe(CudaConfig& cuda, Fields& fields) {
  fields.choice({"staging",
                 "Host memory that batches are copied from: as they are, waiting for each copy; "
                 "page-locked memory for each; or a ring of page-locked buffers."},
                cuda.staging);
  fields.choice(
      {"copies",
       "How batches are copied: on the stream that computes; on a side stream, their frees "
       "deferred by record_stream; or on a side stream into buffers that are reused, ordered by "
       "events."},
      cuda.copies);
  fields.integer({"buffers", "Number of batches that pinned_ring and side_reuse have room for."},
                 cuda.buffers, {2, 1024});
  fields.choice({"allocator", "Allocator of device memory."}, cuda.allocator);
  fields.boolean({"expandable_segments", "Whether the native allocator's segments can grow."},
                 cuda.expandable_segments);
}

void describe_place(ExperimentConfig& config, Fields& fields) {
  fields.text({"device", "Device on which it runs."}, config.device,
              {"^(cpu|acpu|cuda(:[0-9]{1,3})?)$", "\"cpu\", \"acpu\", \"cuda\" or \"cuda:N\"",
               is_device_name});
  fields.whole({"seed", "Seed of all random numbers: weights and data."}, config.seed,
               {0, UINT64_MAX});
}

void describe_settings(ExperimentConfig& config, Fields& fields) {
  fields.section(
      {"acpu", "Settings of the asynchronous CPU device; checked, then ignored on others."},
      [&config](Fields& keys) { describe(config.acpu, keys); });
  fields.section({"cuda", "Settings of CUDA devices; checked, then ignored on others."},
                 [&config](Fields& keys) { describe(config.cuda, keys); });
  fields.section({"threads", "Threads of the process."}, [&config](Fields& keys) {
    keys.integer({"intra_op", "Threads of one operation."}, config.threads.intra_op, {1, 1024});
    keys.boolean({"pin", "Whether the front end and the workers get CPUs of their own."},
                 config.threads.pin);
  });
}

void describe_monitor(ExperimentConfig& config, Fields& fields) {
  fields.section({"monitor", "The memory monitor."}, [&config](Fields& keys) {
    keys.number({"rate_hz", "Samples per second; 0: no monitor."}, config.monitor.rate_hz,
                {0.0, 10'000.0});
  });
}

}  // namespace

void describe_batches(ExperimentConfig& config, Fields& fields) {
  fields.integer({"batches", "Batches that are measured."}, config.batches,
                 {1, train::kMostBatches});
}

void describe_warmup_batches(ExperimentConfig& config, Fields& fields) {
  fields.integer({"warmup_batches", "Batches before the clock starts."}, config.warmup_batches,
                 {0, train::kMostBatches});
}

void describe_data(ExperimentConfig& config, Prefetch prefetch, Fields& fields) {
  fields.section({"data", "Batches of the experiment."},
                 [&config, prefetch](Fields& keys) { describe(config.data, prefetch, keys); });
}

void describe_model_and_data(ExperimentConfig& config, Prefetch prefetch, Fields& fields) {
  fields.section({"model", "The network."},
                 [&config](Fields& keys) { describe(config.model, keys); });
  describe_data(config, prefetch, fields);
}

void describe_training(ExperimentConfig& config, Fields& fields) {
  fields.section({"optimizer", "How it is trained."},
                 [&config](Fields& keys) { describe(config.optimizer, keys); });
  fields.choice({"loss", "What is minimised; l2 is half the mean of squared errors."}, config.loss);
}

void describe_job(ExperimentConfig& config, Fields& fields) {
  off_or_section(fields,
                 {"evaluation",
                  "Examples on which the model is evaluated, also after the last batch; each "
                  "evaluation waits."},
                 config.evaluation.is_on,
                 [&config](Fields& keys) { describe(config.evaluation, keys); });
  off_or_section(
      fields,
      {"checkpoint", "The state of the training, saved so that a later run can resume from it."},
      config.checkpoint.is_on, [&config](Fields& keys) { describe(config.checkpoint, keys); });
}

void describe_sync(ExperimentConfig& config, Fields& fields) {
  fields.section({"sync", "When the front end waits; each policy has keys of its own."},
                 [&config](Fields& keys) { describe(config.sync, keys); });
}

void describe(ExperimentConfig& config, Fields& fields) {
  Names kinds;
  for (const ExperimentKind& kind : experiment_kinds()) kinds.push_back(kind.name);
  std::size_t index = index_of(config.experiment, kinds);
  fields.variant({"experiment", "What is measured."}, index, kinds, /*is_required=*/true,
                 [&config](std::size_t kind, Fields& keys) {
                   const ExperimentKind& described = experiment_kinds()[kind];
                   if (!described.runs_command) describe_place(config, keys);
                   described.describe(config, keys);
                   if (!described.runs_command) describe_settings(config, keys);
                   describe_monitor(config, keys);
                 });
  config.experiment = kinds[index];
}

}  // namespace runahead::config
