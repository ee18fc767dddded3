#include "core/train/slow_source.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace runahead::train {
namespace slow_source_test {

class RecordingSource final : public BatchSource {
 public:
  explicit RecordingSource(std::vector<std::string>* calls) : calls_(calls) {}
  Batch next() override {
    calls_->emplace_back("batch");
    return {.inputs = torch::ones({3, 2})};
  }

 private:
  std::vector<std::string>* calls_;
};

TEST(SlowSource, DelaysEachBatchAndHandsItOn) {
  std::vector<std::string> calls;
  SlowSource source(std::make_unique<RecordingSource>(&calls),
                    [&] { calls.emplace_back("delay"); });

  const Batch batch = source.next();
  static_cast<void>(source.next());

  EXPECT_EQ(batch.inputs.size(0), 3);
  EXPECT_EQ(calls, (std::vector<std::string>{"delay", "batch", "delay", "batch"}));
}

TEST(SlowSource, RefusesNoSourceAndNoDelay) {
  std::vector<std::string> calls;

  EXPECT_THROW(SlowSource(nullptr, [] {}), UsageError);
  EXPECT_THROW(SlowSource(std::make_unique<RecordingSource>(&calls), nullptr), UsageError);
}

}  // namespace slow_source_test
}  // namespace runahead::train
