// Autograd: what a program may do with gradients on cpu it may do on acpu, with the same bits.
#include <torch/autograd.h>

#include <functional>
#include <thread>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace {

using at::Tensor;
using Tensors = std::vector<Tensor>;

using Autograd = DeviceTest;

Tensor leaf(const torch::Device& device, at::IntArrayRef sizes) {
  torch::manual_seed(9);
  return torch::randn(sizes).to(device, false, /*copy=*/true).requires_grad_();
}

TEST_F(Autograd, DoubleBackwardGivesTheBitsOfTheCpu) {
  const auto second_derivatives = [](const torch::Device& device) {
    const Tensor image = leaf(device, {2, 3, 6, 6});
    const Tensor kernel = leaf(device, {4, 3, 3, 3});
    const Tensor output = torch::gelu(torch::conv2d(image, kernel)).tanh().square().sum();
    const auto first = torch::autograd::grad({output}, {image, kernel}, {}, true, true);
    return torch::autograd::grad({first[0].square().sum() + first[1].sum()}, {image, kernel});
  };

  const auto actual = second_derivatives(acpu_);
  const auto expected = second_derivatives(torch::kCPU);

  EXPECT_TRUE(is_bit_equal(actual[0], expected[0]));
  EXPECT_TRUE(is_bit_equal(actual[1], expected[1]));
}

TEST_F(Autograd, HooksSeeAndReplaceGradients) {
  const Tensor x = leaf(acpu_, {4});
  const Tensor y = x * 2;
  int calls = 0;
  y.register_hook([&calls](const Tensor& gradient) {
    ++calls;
    return gradient * 10;
  });

  y.sum().backward();

  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(is_bit_equal(x.grad(), torch::full({4}, 20.0F)));
}

TEST_F(Autograd, NoGradRecordsNothing) {
  const Tensor x = leaf(acpu_, {4});
  const torch::NoGradGuard no_grad;

  EXPECT_FALSE((x * 2).requires_grad());
}

TEST_F(Autograd, InferenceModeGivesTheSameValues) {
  const Tensor x = leaf(acpu_, {2, 3});
  const Tensor expected = torch::softmax(x.detach().cpu().mm(x.detach().cpu().t()), 1);
  Tensor inferred;
  {
    const c10::InferenceMode inference;
    inferred = torch::softmax(x.mm(x.t()), 1);
    inferred.add_(1).sub_(1);
    inferred = torch::dropout(torch::softmax(x.mm(x.t()), 1), 0.5, /*train=*/false);
  }

  EXPECT_TRUE(inferred.is_inference());
  EXPECT_TRUE(is_bit_equal(inferred, expected));
  EXPECT_THROW((void)(x.sum() * inferred), c10::Error);
}

TEST_F(Autograd, ConjugateAndNegativeViewsHaveTheGradientsOfTheCpu) {
  const auto gradient = [](const torch::Device& device) {
    torch::manual_seed(2);
    const Tensor z =
        torch::randn({3, 3}, torch::kComplexFloat).to(device, false, true).requires_grad_();
    const Tensor mixed = z.conj().mm(z) + torch::imag(z.conj()) * torch::real(z);
    torch::view_as_real(mixed).square().sum().backward();
    return z.grad();
  };

  EXPECT_TRUE(is_bit_equal(gradient(acpu_), gradient(torch::kCPU)));
}

TEST_F(Autograd, ChangingASavedTensorIsFoundByItsVersion) {
  const Tensor x = leaf(acpu_, {4});
  const Tensor y = x.exp();
  const Tensor z = y.sum();
  y.detach().add_(1);

  EXPECT_THROW(z.backward(), c10::Error);
}

TEST_F(Autograd, InPlaceOnALeafThatNeedsAGradientThrows) {
  const Tensor x = leaf(acpu_, {4});

  EXPECT_THROW(x.add_(1), c10::Error);
}

// Whether autograd adds in place or steals a gradient depends on use counts: the queue must not
// change them.
TEST_F(Autograd, GradientsDoNotDependOnWhatIsStillQueued) {
  const auto gradients = [this](bool is_held) {
    const Tensor x = leaf(acpu_, {8, 8});
    const Tensor w = leaf(acpu_, {8, 8});
    std::optional<WorkerGate> gate;
    if (is_held) gate.emplace();
    for (int pass = 0; pass < 3; ++pass) {
      const Tensor hidden = x.mm(w);
      (hidden.relu() * hidden + hidden.mm(w)).sum().backward();
      if (!is_held) synchronize();
    }
    return Tensors{x.grad(), w.grad(), torch::tensor(x.grad().use_count() == 1)};
  };

  const Tensors held = gradients(true);
  const Tensors drained = gradients(false);

  for (std::size_t i = 0; i < held.size(); ++i) EXPECT_TRUE(is_bit_equal(held[i], drained[i]));
}

TEST_F(Autograd, SeveralThreadsIssueAtOnce) {
  constexpr int kThreads = 4;
  const auto train = [](const torch::Device& device, int seed) {
    Tensor w = torch::full({6, 6}, 0.1 * seed).to(device).requires_grad_();
    const Tensor x = torch::linspace(-1, 1, 36).view({6, 6}).to(device);
    for (int step = 0; step < 50; ++step) {
      const Tensor loss = torch::mse_loss(torch::tanh(x.mm(w)), x);
      const Tensor gradient = torch::autograd::grad({loss}, {w})[0];
      const torch::NoGradGuard no_grad;
      w.sub_(gradient * 0.1);
    }
    return w.detach();
  };
  configure({.workers = 2, .ready_order = engine::ReadyOrder::kFirstReady});
  Tensors results(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { results[static_cast<std::size_t>(i)] = train(acpu_, i); });
  }
  for (std::thread& thread : threads) thread.join();

  for (int i = 0; i < kThreads; ++i) {
    EXPECT_TRUE(is_bit_equal(results[static_cast<std::size_t>(i)], train(torch::kCPU, i))) << i;
  }
}

}  // namespace
}  // namespace runahead::device
