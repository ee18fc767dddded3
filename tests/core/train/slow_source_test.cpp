#include "core/train/slow_source.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace runahead::train {
namespace slow_source_test {

class TellingSource final : public BatchSource {
 public:
  explicit TellingSource(std::vector<std::string>* told) : told_(told) {}
  Batch next() override {
    told_->emplace_back("batch");
    return {.inputs = torch::ones({3, 2})};
  }

 private:
  std::vector<std::string>* told_;
};

TEST(SlowSource, DelaysEachBatchAndHandsItOn) {
  std::vector<std::string> told;
  SlowSource source(std::make_unique<TellingSource>(&told), [&] { told.emplace_back("delay"); });

  const Batch batch = source.next();
  static_cast<void>(source.next());

  EXPECT_EQ(batch.inputs.size(0), 3);
  EXPECT_EQ(told, (std::vector<std::string>{"delay", "batch", "delay", "batch"}));
}

TEST(SlowSource, RefusesNoSourceAndNoDelay) {
  std::vector<std::string> told;

  EXPECT_THROW(SlowSource(nullptr, [] {}), UsageError);
  EXPECT_THROW(SlowSource(std::make_unique<TellingSource>(&told), nullptr), UsageError);
}

}  // namespace slow_source_test
}  // namespace runahead::train
