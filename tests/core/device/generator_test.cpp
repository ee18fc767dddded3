// Random numbers: those of the CPU for the same seed, in the order of issue, whatever the workers.
#include "core/device/device_fixture.h"

namespace runahead::device {
namespace {

using Generators = DeviceTest;

std::vector<at::Tensor> draw(const torch::Device& device, int workers) {
  configure({.workers = workers, .ready_order = engine::ReadyOrder::kFirstReady});
  torch::manual_seed(42);
  std::vector<at::Tensor> drawn;
  for (int i = 0; i < 20; ++i) {
    drawn.push_back(torch::randn({50}, device));
    drawn.push_back(torch::rand({7}, device));
    drawn.push_back(torch::dropout(torch::ones({100}, device), 0.5, true));
    drawn.push_back(torch::randperm(30, torch::TensorOptions(device).dtype(torch::kLong)));
  }
  return drawn;
}

TEST_F(Generators, GiveTheSameNumbersForAnyNumberOfWorkers) {
  const auto one = draw(acpu_, 1);
  const auto four = draw(acpu_, 4);

  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(is_bit_equal(one[i], four[i]));
}

TEST_F(Generators, ManualSeedGivesTheNumbersOfTheCpu) {
  torch::manual_seed(7);
  const at::Tensor device = torch::randn({100}, acpu_);
  torch::manual_seed(7);
  const at::Tensor host = torch::randn({100});

  EXPECT_TRUE(is_bit_equal(device, host));
}

TEST_F(Generators, ExplicitGeneratorIsIndependentOfTheDefaultOne) {
  at::Generator generator = at::globalContext().defaultGenerator(acpu_).clone();
  generator.set_current_seed(3);
  const at::Tensor first = torch::empty({10}, acpu_).normal_(0, 1, generator);
  (void)torch::randn({10}, acpu_);
  generator.set_current_seed(3);
  const at::Tensor second = torch::empty({10}, acpu_).normal_(0, 1, generator);

  EXPECT_TRUE(is_bit_equal(first, second));
  EXPECT_EQ(generator.current_seed(), 3U);
}

TEST_F(Generators, StateCanBeSavedAndRestored) {
  at::Generator generator = at::globalContext().defaultGenerator(acpu_);
  (void)torch::randn({5}, acpu_);
  const at::Tensor state = generator.get_state();
  const at::Tensor first = torch::randn({10}, acpu_);
  generator.set_state(state);

  EXPECT_TRUE(is_bit_equal(torch::randn({10}, acpu_), first));
}

TEST_F(Generators, GeneratorOfAnotherDeviceIsRefused) {
  EXPECT_THROW(torch::empty({2}, acpu_).normal_(0, 1, at::detail::createCPUGenerator()),
               c10::Error);
}

}  // namespace
}  // namespace runahead::device
