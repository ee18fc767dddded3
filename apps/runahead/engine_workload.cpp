#include "apps/runahead/engine_workload.h"

#include <latch>
#include <random>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/engine/engine.h"

namespace runahead::apps {

namespace {

using engine::AccessMode;
using engine::Operation;
using engine::VariablePtr;

constexpr std::size_t kDagVariables = 100;
constexpr std::size_t kMostReads = 19;
constexpr std::uint64_t kSeed = 1;
constexpr double kNanosecondsPerSecond = 1e9;

/// The indices of the variables of one operation.
struct AccessPlan {
  std::vector<std::size_t> reads{};
  std::size_t change = 0;
};

std::vector<AccessPlan> plan_accesses(EngineShape shape, std::size_t operations) {
  std::vector<AccessPlan> plans(operations);
  std::mt19937_64 random(kSeed);
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  for (std::size_t index = 0; index < operations; ++index) {
    if (shape == EngineShape::kIndependent) plans[index].change = index;
    if (shape != EngineShape::kRandomDag) continue;
    plans[index].reads.resize(1 + below(kMostReads));
    for (std::size_t& read : plans[index].reads) read = below(kDagVariables);
    plans[index].change = below(kDagVariables);
  }
  return plans;
}

/// Keeps the CPU busy for `seconds`.
void work_for(double seconds) {
  const TimePoint begun = Clock::now();
  while (seconds_between(begun, Clock::now()) < seconds) {
  }
}

/// Pushes the operations of a workload, and owns what they share.
class Pusher {
 public:
  Pusher(engine::Engine& engine, const EngineWorkload& workload)
      : engine_(engine),
        body_seconds_(workload.body_seconds),
        plans_(plan_accesses(workload.shape, workload.operations)),
        variables_(workload.shape == EngineShape::kIndependent ? workload.operations
                   : workload.shape == EngineShape::kChain     ? 1
                                                               : kDagVariables) {
    for (VariablePtr& variable : variables_) variable = engine::make_variable();
  }

  /// Pushes the gate, an operation that all others depend on. It ends when open_gate() is called.
  void push_gate() {
    gate_ = engine::make_variable();
    engine_.push({.name = "gate",
                  .body = [this] { gate_opened_.wait(); },
                  .accesses = {{gate_, AccessMode::kOverwrite}}});
  }
  void open_gate() { gate_opened_.count_down(); }

  void push_all() {
    for (const AccessPlan& plan : plans_) {
      Operation operation{.name = "operation", .body = [] {}};
      if (body_seconds_ > 0.0) operation.body = [seconds = body_seconds_] { work_for(seconds); };
      if (gate_) operation.accesses.push_back({gate_, AccessMode::kRead});
      for (const std::size_t read : plan.reads) {
        operation.accesses.push_back({variables_[read], AccessMode::kRead});
      }
      operation.accesses.push_back({variables_[plan.change], AccessMode::kWrite});
      engine_.push(std::move(operation));
    }
  }

 private:
  engine::Engine& engine_;
  double body_seconds_;
  std::vector<AccessPlan> plans_;
  std::vector<VariablePtr> variables_;
  VariablePtr gate_{};
  std::latch gate_opened_{1};
};

}  // namespace

EngineFigures EngineWorkload::measure(const std::vector<int>& worker_cpus) const {
  const auto engine = engine::make_engine(
      {.workers = workers, .on_worker_start = [&worker_cpus](int worker) {
         if (worker_cpus.empty()) return;
         pin_calling_thread(worker_cpus[static_cast<std::size_t>(worker) % worker_cpus.size()]);
       }});
  const bool has_gate = workers > 0 && body_seconds > 0.0;
  Pusher pusher(*engine, *this);
  if (has_gate) pusher.push_gate();

  double cpu_seconds = process_cpu_seconds();
  TimePoint begun = Clock::now();
  pusher.push_all();
  const TimePoint pushed = Clock::now();
  const double push_seconds = seconds_between(begun, pushed);
  if (has_gate) {
    begun = pushed;
    cpu_seconds = process_cpu_seconds();
    pusher.open_gate();
  }
  engine->wait_all();
  const double seconds = seconds_between(begun, Clock::now());

  const auto count = static_cast<double>(operations);
  return {.push_ns = push_seconds * kNanosecondsPerSecond / count,
          .operations_per_second = count / seconds,
          .cpu_share = (process_cpu_seconds() - cpu_seconds) / seconds};
}

}  // namespace runahead::apps
