#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/train/policies/cost_model.h"
#include "core/train/policies/mark.h"
#include "core/train/policies/wait_kind.h"

namespace at {
class Tensor;
}

namespace runahead::train {

class AdaptiveDepth;
class AdaptiveWindow;

/// A batch whose operations have all been issued.
struct IssuedBatch {
  const at::Tensor* loss = nullptr;  ///< A detached scalar on the device; policies only pass it on.
  std::uint64_t bytes = 0;           ///< Of its inputs and targets.
  std::uint64_t kept_bytes = 0;      ///< See Batch::kept_bytes.
};

/// Where the front end waits in one loop. It sees each batch and may block in both calls. Used by
/// the front end's thread only. Each wait may rethrow the error of an operation issued earlier.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// Called before anything of the next batch is issued, including its data.
  virtual void before_batch() {}
  /// Called after everything of `batch` was issued.
  virtual void after_batch(const IssuedBatch& /*batch*/) {}
};

/// Waits for a batch through its loss.
using Wait = std::function<void(const IssuedBatch& batch)>;
/// Receives a warning for the user, on the front end's thread. May be empty.
using Notice = std::function<void(const std::string& text)>;

/// What a policy uses to wait and choose. All of it outlives the waiter.
struct PolicyContext {
  MarkSource& back_end;
  std::function<Wait(WaitKind)> make_wait{};
  /// For `adaptive`: `depth` if the device bounds operations, `window` if the loop bounds batches;
  /// both null if nothing is ever in flight, so that there is nothing to choose.
  AdaptiveDepth* depth = nullptr;
  AdaptiveWindow* window = nullptr;
  Notice on_notice{};
};

/// What a policy's prediction depends on.
struct CostQuestion {
  std::int64_t batches = 0;
  std::uint64_t batch_kept_bytes = 0;  ///< Bytes of a batch that the loop's budget counts.
  bool loop_keeps_budget = false;      ///< By waiting for batches; otherwise the device does.
};

/// A sync policy as a config describes it, with the values of its keys. A policy is one file in
/// this folder and a line in its CMakeLists.txt.
class SyncPolicy {
 public:
  virtual ~SyncPolicy() = default;
  [[nodiscard]] virtual std::unique_ptr<SyncPolicy> clone() const = 0;

  /// The value of /sync/policy.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Its config keys, with their defaults, ranges and values.
  virtual void describe(Fields& /*fields*/) {}
  /// Names a line of a chart: "window of 2 batches".
  [[nodiscard]] virtual std::string label() const = 0;
  /// Begins a sentence on a run: "With a window of 2 batches".
  [[nodiscard]] virtual std::string phrase() const { return "With a " + label(); }

  [[nodiscard]] virtual std::unique_ptr<Waiter> start(const PolicyContext& context) const = 0;
  [[nodiscard]] virtual CostShape cost_shape(const CostQuestion& question) const = 0;

  /// The wait after a batch; nullopt: there is none.
  [[nodiscard]] virtual std::optional<WaitKind> wait() const { return std::nullopt; }
  /// The most committed bytes, like /acpu/limit/bytes; nullopt: the policy sets none.
  [[nodiscard]] virtual std::optional<std::uint64_t> budget_bytes() const { return std::nullopt; }
  /// For a policy that chooses its bound while running, the most bytes that it may choose; nullopt
  /// for any other policy.
  [[nodiscard]] virtual std::optional<std::uint64_t> ceiling_bytes() const { return std::nullopt; }
};

/// A policy that clones as its own type.
template <typename Policy>
class CopyablePolicy : public SyncPolicy {
 public:
  [[nodiscard]] std::unique_ptr<SyncPolicy> clone() const override {
    return std::make_unique<Policy>(static_cast<const Policy&>(*this));
  }
};

using PolicyMaker = std::unique_ptr<SyncPolicy> (*)();

/// One maker per policy, which creates it with its defaults.
[[nodiscard]] const std::vector<PolicyMaker>& policy_makers();

/// The names of all policies, in the same order.
[[nodiscard]] const std::vector<std::string>& policy_names();

/// The most batches that a config may specify.
inline constexpr std::int64_t kMostBatches = 1'000'000;
/// The most bytes that a config may specify.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;

}  // namespace runahead::train
