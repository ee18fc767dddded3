#pragma once

#include <ATen/core/Tensor.h>

namespace runahead::device {

/// The weights of one layer in one direction; biases and projection may be undefined.
struct Weights {
  at::Tensor input{};
  at::Tensor hidden{};
  at::Tensor input_bias{};
  at::Tensor hidden_bias{};
  at::Tensor projection{};
};

struct State {
  at::Tensor hidden{};
  at::Tensor cell{};  ///< LSTM only.
};

/// One time step. `gates` is the input's contribution, W x + b.
using Cell = State (*)(const at::Tensor& gates, const State& state, const Weights& weights);

[[nodiscard]] at::Tensor input_gates(const at::Tensor& input, const Weights& weights);
/// The previous step's contribution.
[[nodiscard]] at::Tensor hidden_gates(const State& state, const Weights& weights);

[[nodiscard]] State tanh_cell(const at::Tensor& gates, const State& state, const Weights& weights);
[[nodiscard]] State relu_cell(const at::Tensor& gates, const State& state, const Weights& weights);
[[nodiscard]] State gru_cell(const at::Tensor& gates, const State& state, const Weights& weights);
[[nodiscard]] State lstm_cell(const at::Tensor& gates, const State& state, const Weights& weights);
/// The same, given the sum of both contributions.
[[nodiscard]] State lstm_step(const at::Tensor& gates, const State& state, const Weights& weights);

/// LibTorch's checks of a single step, with its error messages. @throws c10::Error
void check_cell_input(const at::Tensor& input, const Weights& weights);
void check_cell_hidden(const at::Tensor& input, const at::Tensor& hidden, const Weights& weights,
                       int position);
void check_cell_weights(const Weights& weights, int gates);

}  // namespace runahead::device
