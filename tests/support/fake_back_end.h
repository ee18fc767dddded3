#pragma once

#include "core/train/back_end.h"
#include "support/fake_marks.h"

namespace runahead::test {

/// A back end whose work finishes when a test says so, and that counts what it is asked.
class FakeBackEnd final : public FakeMarks<train::BackEnd> {
 public:
  void wait_until_computed(const torch::Tensor&) override { ++waits_until_computed; }
  void synchronize() override {
    ++synchronizations;
    finish_until(marks());
  }

  int waits_until_computed = 0;
  int synchronizations = 0;
};

}  // namespace runahead::test
