#include "core/engine/failure.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "core/engine/operation_error.h"

namespace runahead::engine {

std::string what_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    const char* what = exception.what();
    return what == nullptr ? "an exception without a text" : what;
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

const FailurePtr& earlier_of(const FailurePtr& a, const FailurePtr& b) noexcept {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  return b->sequence < a->sequence ? b : a;
}

void report(Failure& failure, std::uint64_t unkept_failures) {
  failure.reported.store(true, std::memory_order_relaxed);
  throw OperationError(failure.operation_name, failure.cause, failure.text, unkept_failures);
}

FailureLog::FailureLog(DescribeError describe)
    : describe_(describe == nullptr ? what_of : describe),
      without_memory_(std::make_shared<Failure>()) {
  without_memory_->operation_name = "an operation that failed for want of memory";
  without_memory_->text = "std::bad_alloc";
  without_memory_->cause = std::make_exception_ptr(std::bad_alloc());
}

FailurePtr FailureLog::add(std::string_view operation_name, std::exception_ptr cause,
                           std::uint64_t sequence) noexcept {
  try {
    auto failure = std::make_shared<Failure>();
    failure->operation_name = operation_name;
    failure->text = describe_(cause);
    failure->cause = std::move(cause);
    failure->sequence = sequence;
    keep(failure);
    return failure;
  } catch (const std::bad_alloc&) {
    return without_memory_;
  }
}

void FailureLog::keep(const FailurePtr& failure) {
  std::vector<FailurePtr> reported;
  const std::lock_guard lock(mutex_);
  if (unreported_.size() >= kCapacity) reported = take_reported();
  if (unreported_.size() < kCapacity) {
    unreported_.push_back(failure);
  } else {
    ++unkept_;
  }
}

void FailureLog::report_earliest() {
  FailurePtr earliest;
  std::vector<FailurePtr> reported;
  std::uint64_t unkept = 0;
  {
    const std::lock_guard lock(mutex_);
    reported = take_reported();
    const auto found =
        std::min_element(unreported_.begin(), unreported_.end(),
                         [](const auto& a, const auto& b) { return a->sequence < b->sequence; });
    if (found == unreported_.end()) return;
    earliest = std::move(*found);
    unreported_.erase(found);
    if (unreported_.empty()) unkept = std::exchange(unkept_, 0);
  }
  report(*earliest, unkept);
}

std::vector<FailurePtr> FailureLog::take_reported() {
  const auto first = std::partition(
      unreported_.begin(), unreported_.end(),
      [](const FailurePtr& failure) { return !failure->reported.load(std::memory_order_relaxed); });
  std::vector<FailurePtr> reported(std::make_move_iterator(first),
                                   std::make_move_iterator(unreported_.end()));
  unreported_.erase(first, unreported_.end());
  return reported;
}

}  // namespace runahead::engine
