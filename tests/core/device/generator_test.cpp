// Random numbers: those of the CPU for the same seed, in the order of issue, whatever the workers.
#include "core/device/torch/generator.h"
#include "core/device/device_fixture.h"
#include "core/device/engine_settings.h"

namespace runahead::device {
namespace generator_test {

using Generators = DeviceTest;

using Draws = std::vector<at::Tensor>;

// Every way to draw numbers, from the default generator or from `generator`.
Draws draw(const torch::Device& device, const std::optional<at::Generator>& generator) {
  const auto floats = torch::TensorOptions(device);
  const auto integers = floats.dtype(torch::kLong);
  const at::Tensor weights = torch::linspace(0.1, 1, 20).to(device);
  Draws drawn;
  for (int i = 0; i < 5; ++i) {
    drawn.push_back(torch::randn({50}, generator, floats));
    drawn.push_back(torch::rand({7}, generator, floats));
    drawn.push_back(torch::randint(9, {31}, generator, integers));
    drawn.push_back(torch::randperm(30, generator, integers));
    drawn.push_back(torch::multinomial(weights, 6, false, generator));
    drawn.push_back(torch::bernoulli(weights, generator));
    drawn.push_back(torch::empty({9}, floats).bernoulli_(0.3, generator));
    drawn.push_back(torch::empty({40}, floats).normal_(1, 2, generator));
    drawn.push_back(torch::empty({11}, floats).exponential_(1, generator));
    drawn.push_back(at::normal(weights, 0.5, generator));
    if (!generator) drawn.push_back(torch::dropout(torch::ones({100}, floats), 0.3, true));
  }
  return drawn;
}

class Draw : public DeviceTest, public ::testing::WithParamInterface<EngineSetting> {};

TEST_P(Draw, GivesTheNumbersOfTheCpuFromTheDefaultGeneratorAndFromAnother) {
  configure(GetParam().options);
  torch::manual_seed(42);
  Draws actual = draw(acpu_, std::nullopt);
  torch::manual_seed(42);
  Draws expected = draw(torch::kCPU, std::nullopt);
  at::Generator device = at::globalContext().defaultGenerator(acpu_).clone();
  at::Generator host = at::detail::createCPUGenerator();
  device.set_current_seed(11);
  host.set_current_seed(11);
  for (const at::Tensor& drawn : draw(acpu_, device)) actual.push_back(drawn);
  for (const at::Tensor& drawn : draw(torch::kCPU, host)) expected.push_back(drawn);

  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(is_bit_equal(actual[i], expected[i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Draw, ::testing::ValuesIn(threaded_engine_settings()),
                         [](const auto& test) { return test.param.name; });

TEST_F(Generators, SeedDrawsANewSeedAndReportsIt) {
  at::Generator generator = at::globalContext().defaultGenerator(acpu_).clone();

  const std::uint64_t seed = generator.seed();
  const at::Tensor drawn = torch::empty({10}, acpu_).normal_(0, 1, generator);
  generator.set_current_seed(seed);

  EXPECT_EQ(generator.current_seed(), seed);
  EXPECT_TRUE(is_bit_equal(torch::empty({10}, acpu_).normal_(0, 1, generator), drawn));
}

TEST_F(Generators, OperationsInFlightOutliveTheirGenerator) {
  WorkerGate gate;
  at::Tensor drawn;
  {
    at::Generator generator = make_generator();
    generator.set_current_seed(5);
    drawn = torch::empty({10}, acpu_).normal_(0, 1, generator);
  }
  gate.open();
  at::Generator host = at::detail::createCPUGenerator();
  host.set_current_seed(5);

  EXPECT_TRUE(is_bit_equal(drawn, torch::empty({10}).normal_(0, 1, host)));
}

TEST_F(Generators, SeedingDoesNotWait) {
  WorkerGate gate;
  (void)torch::randn({5}, acpu_);

  torch::manual_seed(3);

  EXPECT_EQ(at::globalContext().defaultGenerator(acpu_).current_seed(), 3U);
  gate.open();
}

}  // namespace generator_test
}  // namespace runahead::device
