#include "core/device/torch/recurrent_cells.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tanh.h>

#include <vector>

namespace runahead::device {

using at::Tensor;

namespace {

std::vector<Tensor> parts_of(const Tensor& gates, std::int64_t count) {
  std::vector<Tensor> parts = gates.unsafe_chunk(count, 1);
  TORCH_CHECK(parts.size() == static_cast<std::size_t>(count), "Expected ", count,
              " gates, but the weights have ", gates.sym_size(1), " rows");
  return parts;
}

void check_first_size(const char* name, const Tensor& weight, int gates,
                      const c10::SymInt& expected) {
  TORCH_CHECK(weight.sym_size(0) == expected, name, " first dim must be ", gates,
              " * hidden_size = ", expected, ", but got ", weight.sym_size(0));
}

}  // namespace

Tensor input_gates(const Tensor& input, const Weights& weights) {
  return at::linear(input, weights.input, weights.input_bias);
}

Tensor hidden_gates(const State& state, const Weights& weights) {
  return at::linear(state.hidden, weights.hidden, weights.hidden_bias);
}

State tanh_cell(const Tensor& gates, const State& state, const Weights& weights) {
  return {at::tanh(hidden_gates(state, weights).add_(gates)), {}};
}

State relu_cell(const Tensor& gates, const State& state, const Weights& weights) {
  return {at::relu(hidden_gates(state, weights).add_(gates)), {}};
}

State gru_cell(const Tensor& gates, const State& state, const Weights& weights) {
  const auto from_input = parts_of(gates, 3);
  const auto from_hidden = parts_of(hidden_gates(state, weights), 3);
  const Tensor reset = Tensor(from_hidden[0]).add_(from_input[0]).sigmoid_();
  const Tensor update = Tensor(from_hidden[1]).add_(from_input[1]).sigmoid_();
  const Tensor proposed = from_input[2].add(Tensor(from_hidden[2]).mul_(reset)).tanh_();
  return {(state.hidden - proposed).mul_(update).add_(proposed), {}};
}

State lstm_cell(const Tensor& gates, const State& state, const Weights& weights) {
  return lstm_step(hidden_gates(state, weights).add_(gates), state, weights);
}

State lstm_step(const Tensor& gates, const State& state, const Weights& weights) {
  const auto parts = parts_of(gates, 4);
  const Tensor input = Tensor(parts[0]).sigmoid_();
  const Tensor forget = Tensor(parts[1]).sigmoid_();
  const Tensor proposed = Tensor(parts[2]).tanh_();
  const Tensor output = Tensor(parts[3]).sigmoid_();
  const Tensor cell = (forget * state.cell).add_(input * proposed);
  const Tensor hidden = output * cell.tanh();
  const bool is_projected = weights.projection.defined();
  return {is_projected ? at::matmul(hidden, weights.projection.t()) : hidden, cell};
}

void check_cell_input(const Tensor& input, const Weights& weights) {
  const c10::SymInt expected = weights.input.sym_size(1);
  TORCH_CHECK(input.sym_size(1) == expected, "input has inconsistent input_size: got ",
              input.sym_size(1), " expected ", expected);
}

void check_cell_hidden(const Tensor& input, const Tensor& hidden, const Weights& weights,
                       int position) {
  TORCH_CHECK(input.sym_size(0) == hidden.sym_size(0), "Input batch size ", input.sym_size(0),
              " doesn't match hidden", position, " batch size ", hidden.sym_size(0));
  const c10::SymInt expected = weights.hidden.sym_size(1);
  TORCH_CHECK(hidden.sym_size(1) == expected, "hidden", position,
              " has inconsistent hidden_size: got ", hidden.sym_size(1), ", expected ", expected);
}

void check_cell_weights(const Weights& weights, int gates) {
  const c10::SymInt expected = weights.hidden.sym_size(1) * gates;
  check_first_size("weight_ih", weights.input, gates, expected);
  check_first_size("weight_hh", weights.hidden, gates, expected);
}

}  // namespace runahead::device
