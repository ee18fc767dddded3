#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/train/policies/mark.h"

namespace runahead::test {

/// Marks whose work finishes when a test says so. A wait for unfinished work finishes it: nothing
/// blocks. `Base` is train::MarkSource or a class below it.
template <typename Base>
class FakeMarks : public Base {
 public:
  std::unique_ptr<train::Mark> mark(train::MarkSource::FinishedCallback on_finished = {}) override {
    auto state = std::make_shared<MarkState>();
    state->on_finished = std::move(on_finished);
    state->number = marks_.size();
    marks_.push_back(state);
    most_in_flight = std::max(most_in_flight, marks_in_flight());
    return std::make_unique<FakeMark>(*this, state);
  }

  [[nodiscard]] bool holds_at_admission() const noexcept override { return holds; }

  /// Finishes the first `count` marks, at `time`.
  void finish_until(std::size_t count, TimePoint time = Clock::now()) {
    for (; finished_ < count; ++finished_) {
      marks_[finished_]->is_finished = true;
      if (marks_[finished_]->on_finished) marks_[finished_]->on_finished(time);
    }
  }

  [[nodiscard]] std::size_t marks() const { return marks_.size(); }
  [[nodiscard]] std::size_t marks_in_flight() const { return marks_.size() - finished_; }

  std::vector<std::size_t> waited_marks{};  ///< Their numbers, in the order of the waits.
  std::size_t most_in_flight = 0;
  bool holds = false;  ///< What holds_at_admission() says.

 private:
  struct MarkState {
    std::size_t number = 0;
    bool is_finished = false;
    train::MarkSource::FinishedCallback on_finished{};
  };

  class FakeMark final : public train::Mark {
   public:
    FakeMark(FakeMarks& owner, std::shared_ptr<MarkState> state)
        : owner_(owner), state_(std::move(state)) {}
    bool is_finished() override { return state_->is_finished; }
    void wait() override {
      owner_.waited_marks.push_back(state_->number);
      owner_.finish_until(state_->number + 1);
    }

   private:
    FakeMarks& owner_;
    std::shared_ptr<MarkState> state_;
  };

  std::vector<std::shared_ptr<MarkState>> marks_{};
  std::size_t finished_ = 0;
};

}  // namespace runahead::test
