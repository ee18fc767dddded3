// Goal: an operator gives on acpu, bit for bit, what it gives on cpu. Method: run each of a list of
// small functions, which between them take every route through the fallback, on both devices, for
// each engine the device can be configured with. The database of all operators is in tests/python.
#include <functional>
#include <string>
#include <vector>

#include "core/device/engine_settings.h"

namespace runahead::device {
namespace operators_test {

using Tensors = std::vector<at::Tensor>;

struct OperatorCase {
  std::string name;
  std::function<at::Tensor(const Tensors&)> run;  ///< Given x (4, 6), y (4, 6), w (6, 3), i (4).
};

const std::vector<OperatorCase>& operator_cases() {
  static const std::vector<OperatorCase> cases{
      {"chain", [](const Tensors& t) { return ((t[0] * t[1] + 2).relu() - t[1]).abs().sqrt(); }},
      {"matmulOfTransposed", [](const Tensors& t) { return t[2].t().matmul(t[0].t()); }},
      {"inPlace",
       [](const Tensors& t) { return t[0].clone().add_(t[1]).mul_(t[0]).clamp_(-1, 1); }},
      {"inPlaceOnView",
       [](const Tensors& t) {
         at::Tensor x = t[0].clone();
         x.slice(1, 1, 4).mul_(3);
         x.select(0, 2).zero_();
         return x;
       }},
      {"resultThatIsAConjugateViewOnCpu",
       [](const Tensors& t) {
         const at::Tensor x = torch::complex(t[0].slice(1, 0, 4), t[1].slice(1, 0, 4));
         const at::Tensor pivots = torch::arange(1, 5, x.options().dtype(at::kInt));
         const at::Tensor solved = torch::linalg_lu_solve(x, pivots, x, /*left=*/false);
         return torch::view_as_real(solved.resolve_conj());
       }},
      {"outOfRightShape",
       [](const Tensors& t) {
         at::Tensor out = torch::empty_like(t[0]);
         torch::add_out(out, t[0], t[1]);
         return out;
       }},
      {"outThatIsResized",
       [](const Tensors& t) {
         at::Tensor out = torch::empty({0}, t[0].options());
         torch::mm_out(out, t[0], t[2]);
         return out;
       }},
      {"outOfOperatorWithoutMeta",
       [](const Tensors& t) {
         at::Tensor out = torch::empty({0}, t[0].options());
         torch::index_select_out(out, t[0], 1, t[3]);
         return out;
       }},
      {"cat",
       [](const Tensors& t) {
         return torch::cat({t[0], t[1], t[0]}, 1);
       }},
      {"stackAndSplit", [](const Tensors& t) { return torch::stack(t[0].split(2, 1)); }},
      {"indexWithTensors", [](const Tensors& t) { return t[0].index({t[3].slice(0, 0, 2)}); }},
      {"indexPut",
       [](const Tensors& t) {
         at::Tensor x = t[0].clone();
         x.index_put_({t[3].slice(0, 0, 2)}, t[1].slice(0, 0, 2));
         return x;
       }},
      {"maskedSelect", [](const Tensors& t) { return t[0].masked_select(t[0] > 0); }},
      {"nonzero", [](const Tensors& t) { return (t[0] > 0).nonzero(); }},
      {"conversion", [](const Tensors& t) { return t[0].to(torch::kDouble).to(torch::kInt); }},
      {"conjugate",
       [](const Tensors& t) {
         const at::Tensor z = torch::complex(t[0], t[1]);
         return torch::mm(z.conj(), z.t()).abs();
       }},
      {"negativeView",
       [](const Tensors& t) { return torch::imag(torch::complex(t[0], t[1]).conj()) + 1; }},
      {"viewsOfComplex",
       [](const Tensors& t) { return torch::view_as_real(torch::complex(t[0], t[1])) * 2; }},
      {"unfold", [](const Tensors& t) { return t[0].unfold(1, 3, 2).sum(-1); }},
      {"arange", [](const Tensors& t) { return torch::arange(1, 7, t[0].options()) * t[0]; }},
      {"foreach",
       [](const Tensors& t) {
         at::Tensor a = t[0].clone();
         at::Tensor b = t[1].clone();
         torch::_foreach_mul_({a, b}, 2);
         return a + b;
       }},
      {"emptyTensors", [](const Tensors& t) { return t[0].slice(0, 0, 0).mm(t[2]).sum(); }},
      {"channelsLast",
       [](const Tensors& t) {
         return t[0].view({1, 2, 2, 6}).contiguous(at::MemoryFormat::ChannelsLast).relu();
       }},
      {"resized",
       [](const Tensors& t) {
         at::Tensor x = t[0].clone();
         x.resize_({5, 6});
         return x.slice(0, 0, 4).clone();
       }},
  };
  return cases;
}

class Operators : public DeviceTest, public ::testing::WithParamInterface<EngineSetting> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    configure(GetParam().options);
  }

  static Tensors host_inputs() {
    torch::manual_seed(1);
    return {torch::randn({4, 6}), torch::randn({4, 6}), torch::randn({6, 3}),
            torch::tensor({2, 0, 3, 1})};
  }
};

TEST_P(Operators, GiveTheBitsOfTheCpu) {
  const Tensors host = host_inputs();
  Tensors device;
  for (const at::Tensor& tensor : host) device.push_back(tensor.to(acpu_));

  for (const OperatorCase& operator_case : operator_cases()) {
    SCOPED_TRACE(operator_case.name);
    // Twice: the second call finds what the first has taught the layout cache.
    for (int call = 0; call < 2; ++call) {
      const at::Tensor result = operator_case.run(device);
      EXPECT_EQ(result.device().type(), at::kPrivateUse1);
      EXPECT_TRUE(is_bit_equal(result, operator_case.run(host)));
    }
  }
}

TEST_P(Operators, ReturnAllMemoryWhenTheTensorsAreGone) {
  synchronize();
  const MemoryStats before = memory_stats();
  {
    Tensors device;
    for (const at::Tensor& tensor : host_inputs()) device.push_back(tensor.to(acpu_));
    for (const OperatorCase& operator_case : operator_cases()) operator_case.run(device);
  }

  synchronize();

  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.promised_bytes, before.promised_bytes);
  EXPECT_EQ(after.held_bytes, before.held_bytes);
  EXPECT_EQ(after.claimed_bytes, before.claimed_bytes);
  EXPECT_EQ(backlog().operations, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Engines, Operators,
    ::testing::Values(EngineSetting{"Naive", {.workers = 0}}, EngineSetting{"OneWorker", {}},
                      EngineSetting{"OneWorkerAtIssue", {.allocation = Allocation::kAtIssue}},
                      EngineSetting{
                          "TwoWorkersFirstReady",
                          {.workers = 2, .ready_order = engine::ReadyOrder::kFirstReady}}),
    [](const auto& setting) { return setting.param.name; });

}  // namespace operators_test
}  // namespace runahead::device
