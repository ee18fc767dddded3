#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/config/command_config.h"
#include "core/config/sync_config.h"
#include "core/engine/allocator_settings.h"
#include "core/engine/device_settings.h"

namespace runahead::config {

/// The resolved configuration of one experiment: every default filled in, every value checked.
/// Field names are the JSON keys; this folder's README is their reference.

enum class ModelInit { kTorch, kGluon };
constexpr auto enum_names(ModelInit) { return std::array{"torch", "gluon"}; }
enum class Activation { kRelu, kGelu, kTanh, kSigmoid, kSilu, kElu, kLeakyRelu, kSoftplus, kNone };
constexpr auto enum_names(Activation) {
  return std::array{"relu", "gelu",       "tanh",     "sigmoid", "silu",
                    "elu",  "leaky_relu", "softplus", "none"};
}

enum class Normalization { kNone, kBatch, kLayer };
constexpr auto enum_names(Normalization) { return std::array{"none", "batch", "layer"}; }

struct ModelConfig {
  std::string kind = "mlp";  ///< mlp or torchscript.
  // For mlp:
  std::vector<std::int64_t> layers{2048, 512, 1};      ///< Output widths, each in [1, 2^24].
  Activation activation = Activation::kRelu;           ///< Between layers, not after the last.
  ModelInit init = ModelInit::kTorch;                  ///< gluon: uniform in ±0.07, zero bias.
  Normalization normalization = Normalization::kNone;  ///< Before each activation.
  double dropout = 0.0;                                ///< After each activation, in [0, 1).
  // For torchscript:
  std::string path{};                       ///< Path of the file; not empty.
  std::vector<std::int64_t> input_shape{};  ///< Shape of one example; empty: that of the data.
};

enum class DataMade {
  kOnHost,      ///< By the front end, then copied.
  kOnDevice,    ///< Issued as operations of the device.
  kBeforehand,  ///< As a pool, before the clock starts.
};
constexpr auto enum_names(DataMade) { return std::array{"on_host", "on_device", "beforehand"}; }

struct TargetsConfig {
  double value = 1.0;
  std::int64_t width = 1;
};

/// An array in a file.
struct FileConfig {
  std::string path{};  ///< Not empty.
  std::string name{};  ///< Name of the array, if the file has several.
};

enum class InputType { kFloat32, kInt64 };
constexpr auto enum_names(InputType) { return std::array{"float32", "int64"}; }
enum class LastBatch { kDrop, kKeep };
constexpr auto enum_names(LastBatch) { return std::array{"drop", "keep"}; }

/// The additional settings of data of the kind `files`.
struct FilesConfig {
  std::string section = "/data";  ///< Not a key: the section that names the files, for errors.
  FileConfig inputs{};
  double scale = 1.0;  ///< Factor applied to float32 inputs.
  InputType type = InputType::kFloat32;
  FileConfig targets{};
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;  ///< Whether an epoch's last, partial batch is kept.
  std::int64_t loader_threads = 0;          ///< 0: the front end gathers each batch itself.
  std::int64_t loader_ahead = 2;            ///< Batches that each thread may have ready.
};

struct DataConfig {
  std::string kind = "normal";  ///< normal or files.
  std::int64_t features = 512;
  TargetsConfig targets{};
  FilesConfig files{};
  std::int64_t batch_size = 1024;
  DataMade made = DataMade::kOnHost;
  std::int64_t prefetch = 0;       ///< Batches prepared ahead by a separate thread; 0: none.
  double seconds_per_batch = 0.0;  ///< Front-end time added per batch (a slow source), seconds.
};

enum class OptimizerKind { kSgd, kAdam, kAdamW };
constexpr auto enum_names(OptimizerKind) { return std::array{"sgd", "adam", "adamw"}; }

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::kSgd;
  double learning_rate = 0.005;
  double momentum = 0.0;
  double weight_decay = 0.0;
  bool fused = false;
};

/// Examples that a model is evaluated on during training.
struct EvaluationConfig {
  bool is_on = false;
  std::int64_t every = 0;  ///< Batches; 0: only after the last batch.
  FileConfig inputs{};
  FileConfig targets{};
};

struct CheckpointConfig {
  bool is_on = false;
  std::int64_t every = 100;  ///< Batches.
  std::string path{};        ///< The run resumes from this file if it exists.
};

enum class LossKind { kL2, kMse, kL1, kHuber, kCrossEntropy };
constexpr auto enum_names(LossKind) {
  return std::array{"l2", "mse", "l1", "huber", "cross_entropy"};
}

using engine::Allocation;
using engine::FreedMemory;
using engine::ProductLibrary;
using engine::ReadyOrder;

struct LimitConfig {
  enum class Kind { kGuard, kOff, kExplicit } kind = Kind::kGuard;
  std::optional<std::uint64_t> operations{};
  std::optional<std::uint64_t> bytes{};
  std::optional<double> seconds{};
};

struct AcpuConfig {
  int workers = 1;
  ReadyOrder ready_order = ReadyOrder::kOldestFirst;
  Allocation allocation = Allocation::kAtExecution;
  std::string allocator{};  ///< As engine::parse_allocator_settings; only for kCaching.
  std::optional<std::uint64_t> capacity_bytes{};  ///< Only for kCaching.
  ProductLibrary products = ProductLibrary::kLibTorch;
  FreedMemory freed_memory = FreedMemory::kReturned;
  LimitConfig limit{};
};

/// Host memory that batches are copied from.
enum class Staging {
  kPageable,    ///< Pageable: each copy is waited for.
  kPinned,      ///< Separate page-locked memory for each batch, until its copy has completed.
  kPinnedRing,  ///< Page-locked buffers that are reused.
};
constexpr auto enum_names(Staging) { return std::array{"pageable", "pinned", "pinned_ring"}; }

/// How batches are copied to the device.
enum class Copies {
  kInOrder,           ///< On the stream that computes.
  kSideRecordStream,  ///< On a side stream, into its memory, whose frees are deferred.
  kSideReuse,         ///< On a side stream, into buffers that are reused, ordered by events.
};
constexpr auto enum_names(Copies) {
  return std::array{"in_order", "side_record_stream", "side_reuse"};
}

enum class CudaAllocator { kNative, kCudaMallocAsync };
constexpr auto enum_names(CudaAllocator) { return std::array{"native", "cuda_malloc_async"}; }

struct CudaConfig {
  Staging staging = Staging::kPageable;
  Copies copies = Copies::kInOrder;
  std::int64_t buffers = 4;  ///< In batches; for pinned_ring and side_reuse.
  CudaAllocator allocator = CudaAllocator::kNative;
  bool expandable_segments = false;
};

struct ThreadsConfig {
  int intra_op = 1;
  bool pin = true;
};

struct MonitorConfig {
  double rate_hz = 1000.0;  ///< 0: no monitor.
};

/// Products that `dispatch` issues one after another, to see how many may be in flight.
struct QueueConfig {
  std::int64_t operations = 2000;
  std::int64_t size = 256;  ///< Rows and columns of the matrices.
};

enum class Outputs { kDropped, kKept };
constexpr auto enum_names(Outputs) { return std::array{"dropped", "kept"}; }

/// What the kinds other than `train` run. Each kind has its own keys, as described in its file of
/// kinds/, at the top level of its config.
struct ProgramConfig {
  std::int64_t size = 1000;  ///< Rows and columns of the matrices.
  QueueConfig queue{};
  std::int64_t products = 10;
  std::vector<std::int64_t> shape{1, 2};                        ///< Shape of x in y = x + 1.
  std::vector<std::int64_t> operations{1000, 10'000, 100'000};  ///< Numbers of y = x + 1 in a run.
  std::vector<std::int64_t> fitted_operations{500, 5000};       ///< Likewise, to fit t1 to t3.
  std::vector<std::int64_t> elements{2, 1024, 16'384, 131'072, 1'048'576};
  std::int64_t increments = 1000;      ///< Operations for each of `elements`.
  double seconds_per_increment = 0.0;  ///< Front-end time added to each y = x + 1, seconds.
  std::int64_t branches = 8;
  std::int64_t branch_operations = 4;
  std::int64_t schedules = 1000;
  std::int64_t print_every = 50;  ///< Batches.
  Outputs outputs = Outputs::kDropped;
  double hold_seconds = 2.0;       ///< How long the device is occupied while launches are queued.
  std::int64_t launches = 20'000;  ///< Most launches that are tried.
  std::vector<std::int64_t> delay_percent{0, 25, 50, 75, 100, 125, 150, 175, 200};  ///< Of t2.
  std::int64_t repeats = 7;
  std::int64_t warmup_repeats = 1;
};

struct ExperimentConfig {
  std::string experiment = "train";
  std::string device = "acpu";  ///< cpu, acpu, cuda or cuda:N.
  std::uint64_t seed = 0;
  std::int64_t batches = 100;
  std::int64_t warmup_batches = 1;
  ModelConfig model{};
  DataConfig data{};
  OptimizerConfig optimizer{};
  LossKind loss = LossKind::kL2;
  SyncConfig sync{};
  std::int64_t log_every = 0;  ///< Batches between readings of all losses; 0: never.
  EvaluationConfig evaluation{};
  CheckpointConfig checkpoint{};
  ProgramConfig program{};
  CommandConfig command{};
  AcpuConfig acpu{};
  CudaConfig cuda{};
  ThreadsConfig threads{};
  MonitorConfig monitor{};
};

/// Reads and checks a config file after applying `sets`, each "/json/pointer=value" (apply_set).
/// @throws ConfigError naming the file and, for each error, the JSON pointer, what was found, what
///         is allowed, and for an unknown key the nearest known one.
[[nodiscard]] ExperimentConfig load_experiment(const std::filesystem::path& path,
                                               const std::vector<std::string>& sets = {});

/// As load_experiment, for a document that was read before. `source` is the name used in errors.
[[nodiscard]] ExperimentConfig read_experiment(const Json& document, const std::string& source);

/// Whether a document is a sweep config (sweep_config.h) rather than an experiment's.
[[nodiscard]] bool is_sweep(const Json& document);

/// The resolved config: every key of its kind, in one canonical order. read_experiment reads it
/// back.
[[nodiscard]] Json to_json(const ExperimentConfig& config);

/// SHA-256 of the resolved config without the keys that have their defaults, as 64 hexadecimal
/// digits. Equal ids mean equal experiments. A new key whose default changes nothing changes no id.
[[nodiscard]] std::string config_id(const ExperimentConfig& config);

/// Sets one key of a config document that has not been read yet: "/sync/policy=none". The value is
/// JSON if it parses, else a string. A pointer may add a key; the strict reading afterwards reports
/// an unknown one, and a document that is not an object, which stays as it is. Setting /sync/policy
/// drops the keys that belong only to other policies.
/// @throws ConfigError if `assignment` has no "=", or its pointer is malformed or goes through a
///         value that has no keys.
void apply_set(Json& document, std::string_view assignment);

/// Sets what `pointer` points to, in a config document that has not been read yet; creates missing
/// objects on the way. Setting /sync/policy drops the keys that belong only to other policies.
/// @throws ConfigError if the pointer is malformed or empty, or goes through a value that has no
///         keys.
void set_value(Json& document, const std::string& pointer, const Json& value);

/// "cpu", "acpu", "cuda", or "cuda:N" with at most three digits.
[[nodiscard]] bool is_device_name(const std::string& name);

/// N for "cuda:N"; 0 for "cuda".
[[nodiscard]] int cuda_index(const std::string& name);

}  // namespace runahead::config
