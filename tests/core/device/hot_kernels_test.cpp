// Goal: an operator with a hot kernel gives what it gives on cpu, bit for bit, in the hot case and
// in every other. Method: each operator on each pair of operands that makes it decide otherwise.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace hot_kernels_test {

using Operator = std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>;

struct NamedOperator {
  std::string name;
  Operator run;
};

/// Two operands on the host.
struct Operands {
  std::string name;
  at::Tensor x;
  at::Tensor y;
};

std::vector<NamedOperator> binary_operators() {
  return {
      {"add", [](auto& x, auto& y) { return x.add(y, 0.3); }},
      {"sub", [](auto& x, auto& y) { return x.sub(y, 2); }},
      {"mul", [](auto& x, auto& y) { return x.mul(y); }},
      {"div", [](auto& x, auto& y) { return x.div(y); }},
      {"add_", [](auto& x, auto& y) { return x.clone().add_(y, -0.1); }},
      {"mul_", [](auto& x, auto& y) { return x.clone().mul_(y); }},
      {"addcmul_", [](auto& x, auto& y) { return x.clone().addcmul_(x, y, 0.7); }},
      {"addcdiv_", [](auto& x, auto& y) { return x.clone().addcdiv_(x, y, 0.7); }},
      {"mseMean", [](auto& x, auto& y) { return torch::mse_loss(x, y); }},
      {"mseNone", [](auto& x, auto& y) { return torch::mse_loss(x, y, at::Reduction::None); }},
      {"thresholdBackward", [](auto& x, auto& y) { return torch::threshold_backward(x, y, 0.1); }},
      {"sigmoidBackward", [](auto& x, auto& y) { return torch::sigmoid_backward(x, y); }},
      {"tanhBackward", [](auto& x, auto& y) { return torch::tanh_backward(x, y); }},
      {"mm", [](auto& x, auto& y) { return x.mm(y.t()); }},
      {"addmm", [](auto& x, auto& y) { return torch::addmm(x.t()[0], x, y.t()); }},
      {"addmmOfColumn",
       [](auto& x, auto& y) { return torch::addmm(x.slice(1, 0, 1), x, y.t(), 0.5, 2); }},
      {"geluBackward", [](auto& x, auto& y) { return torch::gelu_backward(x, y, "tanh"); }},
  };
}

std::vector<NamedOperator> unary_operators() {
  const auto of_first = [](auto run) { return [run](auto& x, auto&) { return run(x); }; };
  return {
      {"addNumber", of_first([](auto& x) { return x + 1; })},
      {"addFraction", of_first([](auto& x) { return x + 0.1; })},
      {"subNumber", of_first([](auto& x) { return x - 0.1; })},
      {"mulNumber", of_first([](auto& x) { return x * 3; })},
      {"divNumber", of_first([](auto& x) { return x / 3; })},
      {"addComplex", of_first([](auto& x) { return x + c10::complex<double>(1, 2); })},
      {"addHostTensor", of_first([](auto& x) { return x + torch::tensor(2.5); })},
      {"mulHostTensor_", of_first([](auto& x) { return x.clone().mul_(torch::tensor(2)); })},
      {"addBool", of_first([](auto& x) { return x + true; })},
      {"relu", of_first([](auto& x) { return x.relu(); })},
      {"sigmoid", of_first([](auto& x) { return x.sigmoid(); })},
      {"tanh", of_first([](auto& x) { return x.tanh(); })},
      {"gelu", of_first([](auto& x) { return torch::gelu(x); })},
      {"sum", of_first([](auto& x) { return x.sum(); })},
      {"sumOfLast", of_first([](auto& x) { return x.sum(-1, true); })},
      {"sumAsDouble", of_first([](auto& x) { return x.sum(at::kDouble); })},
      {"mean", of_first([](auto& x) { return x.mean(0); })},
  };
}

std::vector<Operands> operands() {
  const at::Tensor x = torch::randn({3, 4});
  const at::Tensor y = torch::randn({3, 4});
  return {
      {"alike", x, y},
      {"doubles", x.to(at::kDouble), y.to(at::kDouble)},
      {"broadcast", x, y[0]},
      {"mixedTypes", x, y.to(at::kDouble)},
      {"transposed", x.t(), torch::randn({3, 4}).t()},
      {"transposedAlike", torch::randn({4, 3}).t(), torch::randn({4, 3}).t()},
      {"channelsLast", torch::randn({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast),
       torch::randn({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast)},
      {"channelsLastOfOne", torch::randn({1, 1, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast),
       torch::randn({1, 1, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast)},
      {"oneTransposed", x, torch::randn({4, 3}).t()},
      {"sliced", torch::randn({5, 4}).slice(0, 1, 4), y},
      {"integers", x.mul(10).to(at::kLong), y.mul(10).to(at::kLong)},
      {"empty", torch::randn({0, 4}), torch::randn({0, 4})},
      {"halves", x.to(at::kHalf), y.to(at::kHalf)},
      {"single", torch::randn({}), torch::randn({})},
      {"wrongShape", x, torch::randn({3, 5})},
  };
}

/// The result, or nothing if the call throws.
std::optional<at::Tensor> result_of(const Operator& run, const at::Tensor& x, const at::Tensor& y) {
  try {
    return run(x, y).cpu();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

class HotKernels : public DeviceTest {
 protected:
  void expect_same_as_on_cpu(const std::vector<NamedOperator>& operators) {
    for (const Operands& given : operands()) {
      const at::Tensor x = given.x.to(acpu_);
      const at::Tensor y = given.y.to(acpu_);
      for (const NamedOperator& one : operators) {
        SCOPED_TRACE(one.name + " of " + given.name);
        const auto expected = result_of(one.run, given.x, given.y);
        const auto found = result_of(one.run, x, y);
        ASSERT_EQ(found.has_value(), expected.has_value());
        if (expected) {
          EXPECT_TRUE(is_bit_equal(*found, *expected));
          EXPECT_EQ(one.run(x, y).strides(), one.run(given.x, given.y).strides());
        }
      }
    }
  }
};

TEST_F(HotKernels, GiveTheBitsOfTheCpuWithoutWaitingWhereverTheirMemoryComesFrom) {
  const at::Tensor x = torch::randn({3, 4}, acpu_);
  {
    WorkerGate gate;
    for (const NamedOperator& one : binary_operators()) (void)one.run(x, x);
    EXPECT_TRUE(blocking_operators().empty());
  }
  expect_same_as_on_cpu(unary_operators());
  for (const Allocation allocation : {Allocation::kAtExecution, Allocation::kAtIssue}) {
    configure({.allocation = allocation});
    expect_same_as_on_cpu(binary_operators());
  }
}

/// A result whose inputs, copies of `x` and `y`, were dropped before its operation ran.
at::Tensor result_of_dropped(const Operator& run, const at::Tensor& x, const at::Tensor& y) {
  (void)run(x, y).cpu();  // What has no rule for its layout learns it.
  const WorkerGate gate;
  return run(x.clone(), y.clone());
}

TEST_F(HotKernels, GiveTheBitsOfTheCpuInTheMemoryOfTheirInputs) {
  std::vector<NamedOperator> operators = binary_operators();
  for (NamedOperator& one : unary_operators()) operators.push_back(std::move(one));
  const at::Tensor x = torch::randn({37, 41});
  x.flatten().slice(0, 0, 5) = torch::tensor({NAN, INFINITY, -INFINITY, 0.0F, -0.0F});
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const at::Tensor first = x.to(dtype);
    const at::Tensor second = x.rot90(2).contiguous().to(dtype);
    for (const NamedOperator& one : operators) {
      SCOPED_TRACE(one.name);
      EXPECT_TRUE(is_bit_equal(result_of_dropped(one.run, first.to(acpu_), second.to(acpu_)),
                               one.run(first, second)));
      EXPECT_TRUE(
          is_bit_equal(result_of_dropped(one.run, first.t().to(acpu_), second.t().to(acpu_)),
                       one.run(first.t(), second.t())));
    }
  }
}

/// Counts the pieces of memory that operations took since it was made.
class PiecesMade {
 public:
  [[nodiscard]] std::uint64_t count() const {
    synchronize();
    return Runtime::get().ledger.segments_made() - before_;
  }

 private:
  std::uint64_t before_ = Runtime::get().ledger.segments_made();
};

TEST_F(HotKernels, TakeTheMemoryOfAnInputThatNothingElseNeeds) {
  const at::Tensor x = torch::randn({30, 40}, acpu_);
  for (const at::Tensor& given : {x, x.t()}) {
    synchronize();
    const PiecesMade made;
    at::Tensor y;
    {
      const WorkerGate gate;
      y = given.mul(2);
      y = y.relu();
      y = y * y;
      y = y + 1;
      y = torch::threshold_backward(y, given, 0.5);
      y = given - y;
    }
    EXPECT_EQ(made.count(), 1U);
    EXPECT_EQ(Runtime::get().ledger.allocated.bytes.current(), 2 * x.nbytes());
    EXPECT_EQ(y.strides(), given.strides());
  }
}

// That of an input that something else needs is left, too: stress_test.cpp.
TEST_F(HotKernels, LeaveTheMemoryOfAnInputThatIsPartOfALargerOne) {
  const at::Tensor x = torch::randn({30, 40});
  at::Tensor whole = x.to(acpu_);
  synchronize();
  const PiecesMade made;
  at::Tensor y;
  {
    const WorkerGate gate;
    y = whole[0] + 1;
    whole.reset();
  }
  EXPECT_EQ(made.count(), 1U);
  EXPECT_TRUE(is_bit_equal(y, x[0] + 1));
}

}  // namespace hot_kernels_test
}  // namespace runahead::device
