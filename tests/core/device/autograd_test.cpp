// Autograd, where the queue or several threads might change what it gives.
#include <torch/autograd.h>

#include <thread>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace autograd_test {

using at::Tensor;
using Tensors = std::vector<Tensor>;

using Autograd = DeviceTest;

Tensor leaf(const torch::Device& device, at::IntArrayRef sizes) {
  torch::manual_seed(9);
  return torch::randn(sizes).to(device, false, /*copy=*/true).requires_grad_();
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

}  // namespace autograd_test
}  // namespace runahead::device
