#include "core/engine/engine.h"

#include <utility>

#include "core/engine/naive_engine.h"
#include "core/engine/threaded_engine.h"

namespace runahead::engine {
namespace {

constexpr int kMostWorkers = 256;

FailurePtr make_dropped_failure() {
  auto failure = std::make_shared<Failure>();
  failure->operation_name = "dropped";
  failure->text = "the program ended before it began";
  failure->cause = std::make_exception_ptr(Error(failure->text));
  failure->reported.store(true);
  return failure;
}

}  // namespace

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  RUNAHEAD_REQUIRE(options.workers >= 0 && options.workers <= kMostWorkers,
                   std::to_string(options.workers) + " workers: allowed are 0 to " +
                       std::to_string(kMostWorkers));
  if (options.workers == 0) return std::make_unique<NaiveEngine>(options);
  return std::make_unique<ThreadedEngine>(options);
}

void require_valid(const Operation& operation) {
  RUNAHEAD_REQUIRE(static_cast<bool>(operation.body),
                   "operation '" + std::string(operation.name) + "' has no body");
  for (const Access& access : operation.accesses) {
    RUNAHEAD_REQUIRE(static_cast<bool>(access.variable),
                     "operation '" + std::string(operation.name) + "' lists a null variable");
  }
}

Engine::Engine(const EngineOptions& options)
    : gate_(in_flight_, options.ledger, options.limit),
      listeners_{options.wait_hooks, options.observer},
      ledger_(options.ledger),
      on_limit_notice_(options.on_limit_notice),
      failures_(options.describe_error),
      dropped_(make_dropped_failure()),
      observer_(options.observer) {}

void Engine::admit(std::uint64_t bytes) {
  if (ledger_ == nullptr) return;
  std::optional<LimitNotice> notice;
  {
    ReportedWait wait(listeners_, WaitCause::kLimit);  // Ends after the push lock is released.
    std::unique_lock lock(push_mutex_);
    if (!is_running_here()) notice = gate_.admit({.bytes = bytes, .is_now = true}, lock, wait);
    ledger_->commit_now(bytes, in_flight_.oldest());
  }
  notify_of(notice);
}

void Engine::notify_of(const std::optional<LimitNotice>& notice) const noexcept {
  if (notice && on_limit_notice_) on_limit_notice_(*notice);
}

void Engine::keep(const VariablePtr& variable) {
  RUNAHEAD_REQUIRE(static_cast<bool>(variable), "a null variable is to be kept");
  const std::lock_guard lock(push_mutex_);
  push_state_of(*variable).last_use.store(in_flight_.next_sequence() - 1,
                                          std::memory_order_relaxed);
}

std::uint64_t Engine::committed_bytes() const noexcept {
  if (ledger_ == nullptr) return 0;
  const std::lock_guard lock(push_mutex_);
  return ledger_->committed_bytes(in_flight_.oldest());
}

OperationNode* Engine::issue(Operation& operation) {
  in_flight_.reserve();
  const std::uint64_t sequence = in_flight_.next_sequence();
  if (ledger_ != nullptr && sequence > ledger_room_) {
    ledger_room_ = ledger_->reserve(sequence, in_flight_.oldest());
  }
  OperationPool::TakenNode node = pool_.take();
  Stream* const stream = operation.stream != nullptr ? operation.stream : default_stream_;
  if (stream != nullptr) stream->order(operation);
  node->assign(operation, sequence, this);
  node->stream = stream;
  if (operation.records != nullptr) hold_back_event(*node);
  if (stream != nullptr) stream->note_push(operation.records);
  in_flight_.note_push();
  if (ledger_ != nullptr) ledger_->commit(sequence, node->cost_bytes);
  if (observer_ != nullptr) observer_->on_push(event_of(*node, -1));
  return node.release();
}

void Engine::run_body(OperationNode& node, int worker) noexcept {
  const bool is_dropped = drops_queued_.load(std::memory_order_relaxed) && !node.is_event;
  if (is_dropped && node.failure == nullptr) [[unlikely]]
    node.failure = dropped_;
  const bool is_skipped = node.failure != nullptr;
  if (!is_skipped) {
    if (observer_ != nullptr) observer_->on_start(event_of(node, worker));
    try {
      node.body();
    } catch (...) {
      node.failure = failures_.add(node.name, std::current_exception(), node.sequence);
    }
  }
  node.body.reset();
  if (observer_ != nullptr) {
    OperationEvent event = event_of(node, worker);
    event.failed = !is_skipped && node.failure != nullptr;
    event.skipped = is_skipped;
    observer_->on_finish(event);
  }
}

void Engine::retire(OperationNode& node, int worker) noexcept {
  node.drop_references();
  if (node.stream != nullptr) node.stream->note_finish();
  OperationList due = in_flight_.finish(node.sequence);
  pool_.give_back(&node);
  gate_.on_finish(push_mutex_);
  while (OperationNode* const other = due.pop_front()) let_go(*other, worker);
}

void Engine::hold_back_event(OperationNode& node) {
  if (node.stream != default_stream_ || !has_operations_without_stream_) return;
  hold_back(node);
  if (default_stream_ != nullptr) has_operations_without_stream_ = false;
}

void Engine::observe_ready(const OperationNode& node, int worker) noexcept {
  if (observer_ != nullptr) observer_->on_ready(event_of(node, worker));
}

OperationEvent Engine::event_of(const OperationNode& node, int worker) const noexcept {
  return {.sequence = node.sequence,
          .name = node.name,
          .cost_bytes = node.cost_bytes,
          .worker = worker,
          .body = node.body ? &node.body : nullptr,
          .time = Clock::now(),
          .node = &node};
}

// Returns 0, which always counts as finished, for a variable that this engine never wrote. A
// variable may remember a destroyed engine at the same address; its number may then be one that
// this engine has not assigned yet.
std::uint64_t Engine::last_write_of(const VariablePtr& variable) const {
  RUNAHEAD_REQUIRE(static_cast<bool>(variable), "a wait for a null variable");
  const std::lock_guard lock(push_mutex_);
  const PushState& state = push_state_of(*variable);
  const std::uint64_t last_write = state.last_write.load(std::memory_order_relaxed);
  const bool is_known = state.engine.load(std::memory_order_relaxed) == this &&
                        last_write < in_flight_.next_sequence();
  return is_known ? last_write : 0;
}

void Engine::wait_for(const VariablePtr& variable) {
  const std::uint64_t last_write = last_write_of(variable);
  {
    ReportedWait wait(listeners_, WaitCause::kVariable);
    if (!in_flight_.is_finished(last_write)) {
      RUNAHEAD_REQUIRE(!is_running_here(), "the body of an operation must not wait for another");
      wait.begin();
      in_flight_.wait_finished(last_write, wait);
    }
    pool_.return_spare_slabs(push_mutex_);
  }
  if (!tracking_state_of(*variable).is_poisoned.load()) return;
  if (const FailurePtr poison = poison_of(*variable)) report(*poison);
}

void Engine::wait_for(const Marker& marker) {
  if (marker.is_finished()) return;
  RUNAHEAD_REQUIRE(!is_running_here(), "the body of an operation must not wait for another");
  ReportedWait wait(listeners_, WaitCause::kMarker);
  wait.begin();
  marker.wait(listeners_.hooks.check);
}

void Engine::wait_all() {
  RUNAHEAD_REQUIRE(!is_running_here(), "the body of an operation must not wait for all");
  {
    ReportedWait wait(listeners_, WaitCause::kAll);
    if (in_flight() > 0) wait.begin();
    in_flight_.wait_pushed(wait);
    pool_.return_spare_slabs(push_mutex_);
  }
  failures_.report_earliest();
}

void Engine::report_failure() { failures_.report_earliest(); }

void Engine::drop_queued() noexcept { drops_queued_.store(true, std::memory_order_relaxed); }

void Engine::set_default_stream(Stream& stream) {
  {
    const std::lock_guard lock(push_mutex_);
    default_stream_ = &stream;
    has_operations_without_stream_ = true;
  }
  static_cast<void>(record_event(*this, nullptr));
}

Marker Engine::mark(std::function<void(TimePoint)> on_finished) {
  const std::lock_guard lock(push_mutex_);
  return in_flight_.mark(std::move(on_finished));
}

std::uint64_t Engine::in_flight() const noexcept { return in_flight_.operations(); }

std::uint64_t Engine::bookkeeping_bytes() const noexcept { return pool_.bytes(); }

std::uint64_t Engine::in_flight_peak() const noexcept { return in_flight_.peak(); }

void Engine::reset_peaks() noexcept {
  const std::lock_guard lock(push_mutex_);
  in_flight_.reset_peak();
}

double Engine::oldest_seconds() const noexcept {
  const std::lock_guard lock(push_mutex_);
  return in_flight_.oldest_seconds();
}

void Engine::set_limit(const RunAheadLimit& limit) {
  const std::lock_guard lock(push_mutex_);
  gate_.set_limit(limit);
}

RunAheadLimit Engine::limit() const {
  const std::lock_guard lock(push_mutex_);
  return gate_.limit();
}

}  // namespace runahead::engine
