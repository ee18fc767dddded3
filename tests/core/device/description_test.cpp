// What operations say of themselves to an observer of the engine that asks: a trace does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/device/dispatch/operands_text.h"
#include "core/engine/observer.h"

namespace runahead::device {
namespace description_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Asks every operation before it runs, except for the events of waits.
class AskingObserver final : public engine::Observer {
 public:
  void on_start(const engine::OperationEvent& event) noexcept override {
    if (event.name == std::string_view("event")) return;
    std::array<char, 200> text{};
    const std::size_t length = event.body->describe(text);
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::string(event.name) + ": " + std::string(text.data(), length));
  }
  std::vector<std::string> answers() {
    const std::lock_guard lock(mutex_);
    return answers_;
  }

 private:
  std::mutex mutex_{};
  std::vector<std::string> answers_{};
};

class DescriptionTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    x_ = torch::ones({2, 3}).to(acpu_);
    configure({.observer = &observer_});
  }
  std::vector<std::string> answers() {
    synchronize();
    return observer_.answers();
  }

  AskingObserver observer_{};
  torch::Tensor x_{};
};

TEST_F(DescriptionTest, CallsNameTypesAndShapesWhateverTheirKind) {
  at::globalContext().setFlushDenormal(true);
  const torch::Tensor in_another_float_mode = x_ + x_;
  at::globalContext().setFlushDenormal(false);
  const torch::Tensor hot = x_ + x_;
  const std::string sum = "aten::add.Tensor: Float[2, 3], Float[2, 3]";
  EXPECT_THAT(answers(), ElementsAre(sum, sum));

  const torch::Tensor other = torch::cumsum(x_, 1);
  EXPECT_THAT(answers().back(), AllOf(HasSubstr("aten::cumsum"), HasSubstr("Float[2, 3]")));
  torch::Tensor copied = torch::empty({2, 3}, torch::kDouble).to(acpu_);
  copied.copy_(x_);
  EXPECT_EQ(answers().back(), "copy_: Double[2, 3], Float[2, 3]");
}

TEST_F(DescriptionTest, EndsWithDotsWhereItDoesNotFit) {
  const Operand operand = Operand::of(x_);
  const auto text_of = [&](std::size_t room) {
    std::string text(room, '?');
    text.resize(write_operands({&operand, &operand}, text));
    return text;
  };
  EXPECT_EQ(text_of(24), "Float[2, 3], Float[2, 3]");
  EXPECT_EQ(text_of(16), "Float[2, 3], ...");
  EXPECT_EQ(text_of(8), "Float...");
  EXPECT_LE(text_of(2).size(), 2U);
}

}  // namespace description_test
}  // namespace runahead::device
