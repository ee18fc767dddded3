#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace runahead::config {

/// The configuration of one experiment, resolved: every default filled in, every value checked.
/// Field names are the JSON keys; CONTRACT.md ("Experiment config") is their reference.

enum class ModelInit { kTorch, kGluon };
enum class Activation { kRelu, kGelu, kTanh, kSigmoid, kSilu, kElu, kLeakyRelu, kSoftplus, kNone };

struct ModelConfig {
  std::string kind = "mlp";
  std::vector<std::int64_t> layers{2048, 512, 1};  ///< Output widths, each in [1, 2^24].
  Activation activation = Activation::kRelu;       ///< Between layers, not after the last.
  ModelInit init = ModelInit::kTorch;              ///< gluon: uniform in ±0.07, zero bias.
};

enum class DataMade {
  kOnHost,      ///< By the front end, then copied.
  kOnDevice,    ///< Issued as operations of the device.
  kBeforehand,  ///< A pool, made before the clock starts.
};

struct TargetsConfig {
  double value = 1.0;
  std::int64_t width = 1;
};

struct DataConfig {
  std::string kind = "normal";
  std::int64_t features = 512;
  TargetsConfig targets{};
  std::int64_t batch_size = 1024;
  DataMade made = DataMade::kOnHost;
  std::int64_t prefetch = 0;       ///< Batches prepared ahead by a thread of their own; 0: none.
  double seconds_per_batch = 0.0;  ///< Front-end time added per batch (a slow source), seconds.
};

enum class OptimizerKind { kSgd, kAdam, kAdamW };

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::kSgd;
  double learning_rate = 0.005;
  double momentum = 0.0;
  double weight_decay = 0.0;
};

enum class LossKind { kL2, kMse, kL1, kHuber, kCrossEntropy };

enum class SyncPolicyKind { kNone, kEveryBatch, kEveryN, kWindow, kBudget, kAdaptive };
enum class WaitKind { kLossValue, kLossReady, kHostCopy, kPrint, kSave, kAll };

struct SyncConfig {
  SyncPolicyKind policy = SyncPolicyKind::kEveryBatch;
  WaitKind wait = WaitKind::kLossValue;  ///< every_batch, every_n.
  std::int64_t n = 10;                   ///< every_n.
  std::int64_t batches = 2;              ///< window.
  std::uint64_t bytes = 0;               ///< budget.
  std::uint64_t ceiling = 0;             ///< adaptive.
};

enum class ReadyOrder { kFirstReady, kOldestFirst };
enum class Allocation { kAtIssue, kInStreamOrder, kAtExecution };

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
  LimitConfig limit{};
};

struct CudaConfig {
  std::string staging = "pageable";
  std::string allocator = "native";
  bool expandable_segments = false;
};

struct ThreadsConfig {
  int intra_op = 1;
  bool pin = true;
};

struct MonitorConfig {
  double rate_hz = 1000.0;  ///< 0: no monitor.
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
  AcpuConfig acpu{};
  CudaConfig cuda{};
  ThreadsConfig threads{};
  MonitorConfig monitor{};
};

}  // namespace runahead::config
