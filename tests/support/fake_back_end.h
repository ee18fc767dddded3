#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/train/back_end.h"

namespace runahead::test {

/// A back end whose work finishes when a test says so, and that writes down what was asked of it.
/// A wait for unfinished work finishes it: nothing blocks.
class FakeBackEnd final : public train::BackEnd {
 public:
  std::unique_ptr<train::Mark> mark(FinishedCallback on_finished) override {
    auto state = std::make_shared<MarkState>();
    state->on_finished = std::move(on_finished);
    state->number = marks_.size();
    marks_.push_back(state);
    return std::make_unique<FakeMark>(*this, state);
  }

  [[nodiscard]] bool holds_at_admission() const noexcept override { return holds; }
  void wait_until_computed(const torch::Tensor&) override { ++waits_until_computed; }
  void synchronize() override {
    ++synchronizations;
    finish_until(marks_.size());
  }

  /// Finishes the first `count` marks, at `time`.
  void finish_until(std::size_t count, TimePoint time = Clock::now()) {
    for (; finished_ < count; ++finished_) {
      marks_[finished_]->is_finished = true;
      if (marks_[finished_]->on_finished) marks_[finished_]->on_finished(time);
    }
  }

  [[nodiscard]] std::size_t marks_in_flight() const { return marks_.size() - finished_; }

  std::vector<std::size_t> waited_marks{};  ///< Numbers of the marks that were waited for.
  bool holds = false;                       ///< What holds_at_admission() says.
  int waits_until_computed = 0;
  int synchronizations = 0;

 private:
  struct MarkState {
    std::size_t number = 0;
    bool is_finished = false;
    FinishedCallback on_finished{};
  };

  class FakeMark final : public train::Mark {
   public:
    FakeMark(FakeBackEnd& back_end, std::shared_ptr<MarkState> state)
        : back_end_(back_end), state_(std::move(state)) {}
    bool is_finished() override { return state_->is_finished; }
    void wait() override {
      back_end_.waited_marks.push_back(state_->number);
      back_end_.finish_until(state_->number + 1);
    }

   private:
    FakeBackEnd& back_end_;
    std::shared_ptr<MarkState> state_;
  };

  std::vector<std::shared_ptr<MarkState>> marks_{};
  std::size_t finished_ = 0;
};

}  // namespace runahead::test
