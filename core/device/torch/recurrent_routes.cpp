#include "core/device/torch/registrations.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mkldnn_rnn_layer.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "core/device/torch/recurrent_cells.h"

namespace runahead::device {
namespace {

using at::Tensor;
using at::TensorList;

struct Options {
  bool has_biases;
  std::int64_t layers;
  double dropout;
  bool is_training;
  bool is_bidirectional;
};

/// Runs all time steps of one layer in one direction. @return the outputs; `state` becomes the
/// last.
using Layer = std::function<Tensor(const Tensor& input, State& state, const Weights& weights,
                                   bool is_reverse)>;

Layer dense_layer(Cell cell) {
  return [cell](const Tensor& input, State& state, const Weights& weights, bool is_reverse) {
    std::vector<Tensor> gates = input_gates(input, weights).unbind(0);
    TORCH_CHECK(!gates.empty(), "Expected sequence length to be larger than 0 in RNN");
    if (is_reverse) std::reverse(gates.begin(), gates.end());
    std::vector<Tensor> outputs;
    for (const Tensor& step : gates) {
      state = cell(step, state, weights);
      outputs.push_back(state.hidden);
    }
    if (is_reverse) std::reverse(outputs.begin(), outputs.end());
    return at::stack(outputs, 0);
  };
}

State rows_of(const State& state, std::int64_t first, std::int64_t end) {
  return {state.hidden.narrow(0, first, end - first),
          state.cell.defined() ? state.cell.narrow(0, first, end - first) : Tensor()};
}

State concatenated(const std::vector<State>& states) {
  std::vector<Tensor> hidden;
  std::vector<Tensor> cells;
  for (const State& state : states) {
    hidden.push_back(state.hidden);
    if (state.cell.defined()) cells.push_back(state.cell);
  }
  return {at::cat(hidden, 0), cells.empty() ? Tensor() : at::cat(cells, 0)};
}

/// Runs sequences of decreasing length, one time step after another: sequences leave as they end.
Tensor run_packed(Cell cell, const std::vector<Tensor>& steps, State& state,
                  const Weights& weights) {
  std::vector<Tensor> outputs;
  std::vector<State> finished;
  State present = state;
  std::int64_t before = steps.front().size(0);
  for (const Tensor& step : steps) {
    if (step.size(0) < before) {
      finished.push_back(rows_of(present, step.size(0), before));
      present = rows_of(present, 0, step.size(0));
    }
    before = step.size(0);
    present = cell(step, present, weights);
    outputs.push_back(present.hidden);
  }
  finished.push_back(present);
  std::reverse(finished.begin(), finished.end());
  state = concatenated(finished);
  return at::cat(outputs, 0);
}

/// The same from the last time step to the first: sequences join where they end.
Tensor run_packed_reverse(Cell cell, const std::vector<Tensor>& steps, State& state,
                          const Weights& weights) {
  std::vector<Tensor> outputs;
  State present = rows_of(state, 0, steps.back().size(0));
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const std::int64_t before = present.hidden.size(0);
    if (step->size(0) > before) {
      present = concatenated({present, rows_of(state, before, step->size(0))});
    }
    present = cell(*step, present, weights);
    outputs.push_back(present.hidden);
  }
  std::reverse(outputs.begin(), outputs.end());
  state = present;
  return at::cat(outputs, 0);
}

Layer packed_layer(Cell cell, const Tensor& batch_sizes) {
  const Tensor sizes = batch_sizes.cpu().contiguous();
  const auto* first = sizes.const_data_ptr<std::int64_t>();
  return [cell, rows = std::vector<std::int64_t>(first, first + sizes.numel())](
             const Tensor& input, State& state, const Weights& weights, bool is_reverse) {
    TORCH_CHECK(!rows.empty(), "Expected sequence length to be larger than 0 in RNN");
    const std::int64_t used = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
    const Tensor gates = input_gates(input, weights);
    const bool has_more = used >= 0 && gates.sym_size(0) > used;  // LibTorch ignores it.
    const std::vector<Tensor> steps =
        (has_more ? gates.narrow(0, 0, used) : gates).split_with_sizes(rows, 0);
    return is_reverse ? run_packed_reverse(cell, steps, state, weights)
                      : run_packed(cell, steps, state, weights);
  };
}

/// Whether oneDNN has that type on this processor, by LibTorch's own question.
bool has_onednn_type(const char* question) {
  const auto asked = c10::Dispatcher::singleton().findSchema({question, ""});
  return asked && asked->typed<bool()>().call();
}

/// Whether LibTorch has that kernel for a type on this processor.
bool is_fused_type(at::ScalarType type) {
  static const bool has_bfloat16 = has_onednn_type("mkldnn::_is_mkldnn_bf16_supported");
  static const bool has_half = has_onednn_type("mkldnn::_is_mkldnn_fp16_supported");
  return type == at::kFloat || (type == at::kBFloat16 && has_bfloat16) ||
         (type == at::kHalf && has_half && !at::GradMode::is_enabled());
}

/// The CPU's own kernel for a whole layer of an LSTM.
Layer fused_lstm_layer(const Options& options, bool is_batch_first) {
  return [options, is_batch_first](const Tensor& input, State& state, const Weights& weights,
                                   bool is_reverse) {
    constexpr std::int64_t kLstm = 2;  // oneDNN's kinds: relu, tanh, LSTM, GRU.
    const auto bias_or_zeros = [](const Tensor& bias, const Tensor& weight) {
      return bias.defined() ? bias : at::zeros_symint(weight.sym_sizes(), weight.options());
    };
    auto [output, hidden, cell, workspace] = at::mkldnn_rnn_layer(
        input, weights.input, weights.hidden, bias_or_zeros(weights.input_bias, weights.input),
        bias_or_zeros(weights.hidden_bias, weights.hidden), state.hidden, state.cell, is_reverse,
        /*batch_sizes=*/{}, kLstm, state.hidden.size(1), options.layers, options.has_biases,
        options.is_bidirectional, is_batch_first, options.is_training);
    state = {hidden, cell};
    return output;
  };
}

std::vector<Weights> weights_of(TensorList parameters, bool has_biases, bool has_projection) {
  const std::size_t per_layer = (has_biases ? 4U : 2U) + (has_projection ? 1U : 0U);
  TORCH_CHECK(parameters.size() % per_layer == 0, "got an incorrect number of RNN parameters");
  std::vector<Weights> weights;
  for (std::size_t i = 0; i < parameters.size(); i += per_layer) {
    weights.push_back({parameters[i], parameters[i + 1], has_biases ? parameters[i + 2] : Tensor(),
                       has_biases ? parameters[i + 3] : Tensor(),
                       has_projection ? parameters[i + per_layer - 1] : Tensor()});
  }
  return weights;
}

std::vector<State> states_of(const Tensor& hidden, const Tensor& cell) {
  std::vector<State> states;
  for (const Tensor& layer : hidden.unbind(0)) states.push_back({layer, {}});
  if (!cell.defined()) return states;
  const auto cells = cell.unbind(0);
  TORCH_CHECK(cells.size() == states.size(), "Expected ", states.size(), " cell states, got ",
              cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) states[i].cell = cells[i];
  return states;
}

/// @return the last layer's outputs; `states` become the final ones.
Tensor run_layers(const Layer& layer, Tensor input, std::vector<State>& states,
                  const std::vector<Weights>& weights, const Options& options) {
  const std::size_t directions = options.is_bidirectional ? 2 : 1;
  const auto layers = static_cast<std::size_t>(options.layers);
  TORCH_CHECK(states.size() == layers * directions && weights.size() == states.size(), "Expected ",
              layers * directions, " hidden states and sets of RNN parameters, got ", states.size(),
              " and ", weights.size());
  for (std::size_t i = 0; i < layers; ++i) {
    std::vector<Tensor> outputs;
    for (std::size_t direction = 0; direction < directions; ++direction) {
      const std::size_t index = i * directions + direction;
      outputs.push_back(layer(input, states[index], weights[index], direction == 1));
    }
    input = directions == 1 ? outputs[0] : at::cat(outputs, -1);
    if (options.dropout != 0 && options.is_training && i + 1 < layers) {
      input = at::dropout(input, options.dropout, true);
    }
  }
  return input;
}

Tensor stacked(const std::vector<State>& states, Tensor State::*member) {
  std::vector<Tensor> tensors;
  for (const State& state : states) tensors.push_back(state.*member);
  return at::stack(tensors, 0);
}

template <Cell cell>
std::tuple<Tensor, Tensor> recurrent(const Tensor& input, const Tensor& hidden,
                                     TensorList parameters, bool has_biases, std::int64_t layers,
                                     double dropout, bool is_training, bool is_bidirectional,
                                     bool is_batch_first) {
  const Options options{has_biases, layers, dropout, is_training, is_bidirectional};
  std::vector<State> states = states_of(hidden, {});
  Tensor output = run_layers(dense_layer(cell), is_batch_first ? input.transpose(0, 1) : input,
                             states, weights_of(parameters, has_biases, false), options);
  if (is_batch_first) output.transpose_(0, 1);  // No view, as LibTorch's.
  return {output, stacked(states, &State::hidden)};
}

template <Cell cell>
std::tuple<Tensor, Tensor> packed_recurrent(const Tensor& data, const Tensor& batch_sizes,
                                            const Tensor& hidden, TensorList parameters,
                                            bool has_biases, std::int64_t layers, double dropout,
                                            bool is_training, bool is_bidirectional) {
  const Options options{has_biases, layers, dropout, is_training, is_bidirectional};
  std::vector<State> states = states_of(hidden, {});
  const Tensor output = run_layers(packed_layer(cell, batch_sizes), data, states,
                                   weights_of(parameters, has_biases, false), options);
  return {output, stacked(states, &State::hidden)};
}

bool has_projection(TensorList hidden) {
  TORCH_CHECK(hidden.size() == 2, "lstm expects two hidden states");
  return hidden[0].sym_size(2) != hidden[1].sym_size(2);  // Sizes may be symbolic.
}

// For its fake tensors on the CPU, torch composes such a layer: those of the kernel's results that
// the derivative needs are not all tensors.
bool is_traced_with_gradient(const Tensor& input) {
  return input.key_set().has(c10::DispatchKey::Python) && input.requires_grad();
}

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hidden,
                                        TensorList parameters, bool has_biases, std::int64_t layers,
                                        double dropout, bool is_training, bool is_bidirectional,
                                        bool is_batch_first) {
  const Options options{has_biases, layers, dropout, is_training, is_bidirectional};
  const bool is_projected = has_projection(hidden);
  const bool is_fused = !is_projected && is_fused_type(input.scalar_type()) &&
                        input.sym_numel() != 0 && !is_traced_with_gradient(input) &&
                        at::globalContext().userEnabledMkldnn();
  const Tensor by_time = is_batch_first ? input.transpose(0, 1) : input;
  std::vector<State> states = is_fused ? states_of(hidden[0].contiguous(), hidden[1].contiguous())
                                       : states_of(hidden[0], hidden[1]);
  const Tensor output =
      run_layers(is_fused ? fused_lstm_layer(options, is_batch_first) : dense_layer(lstm_cell),
                 is_fused ? by_time.contiguous() : by_time, states,
                 weights_of(parameters, has_biases, is_projected), options);
  return {is_batch_first ? output.transpose(0, 1) : output, stacked(states, &State::hidden),
          stacked(states, &State::cell)};
}

std::tuple<Tensor, Tensor, Tensor> packed_lstm(const Tensor& data, const Tensor& batch_sizes,
                                               TensorList hidden, TensorList parameters,
                                               bool has_biases, std::int64_t layers, double dropout,
                                               bool is_training, bool is_bidirectional) {
  const Options options{has_biases, layers, dropout, is_training, is_bidirectional};
  const bool is_projected = has_projection(hidden);
  std::vector<State> states = states_of(hidden[0], hidden[1]);
  const Tensor output = run_layers(packed_layer(lstm_cell, batch_sizes), data, states,
                                   weights_of(parameters, has_biases, is_projected), options);
  return {output, stacked(states, &State::hidden), stacked(states, &State::cell)};
}

Weights cell_weights(const Tensor& input, const Tensor& hidden,
                     const std::optional<Tensor>& input_bias,
                     const std::optional<Tensor>& hidden_bias) {
  return {input, hidden, input_bias.value_or(Tensor()), hidden_bias.value_or(Tensor()), {}};
}

std::tuple<Tensor, Tensor> single_lstm_cell(const Tensor& input, TensorList hidden,
                                            const Tensor& input_weight, const Tensor& hidden_weight,
                                            const std::optional<Tensor>& input_bias,
                                            const std::optional<Tensor>& hidden_bias) {
  TORCH_CHECK(hidden.size() == 2, "lstm_cell expects two hidden states");
  const Weights weights = cell_weights(input_weight, hidden_weight, input_bias, hidden_bias);
  check_cell_input(input, weights);
  check_cell_hidden(input, hidden[0], weights, 0);
  check_cell_weights(weights, 4);
  check_cell_hidden(input, hidden[1], weights, 1);
  const State before{hidden[0], hidden[1]};
  // In LibTorch's order, in which autograd sums gradients.
  Tensor gates = hidden_gates(before, weights);
  gates.add_(input_gates(input, weights));
  State state = lstm_step(gates, before, weights);
  return {std::move(state.hidden), std::move(state.cell)};
}

Tensor single_gru_cell(const Tensor& input, const Tensor& hidden, const Tensor& input_weight,
                       const Tensor& hidden_weight, const std::optional<Tensor>& input_bias,
                       const std::optional<Tensor>& hidden_bias) {
  const Weights weights = cell_weights(input_weight, hidden_weight, input_bias, hidden_bias);
  check_cell_input(input, weights);
  check_cell_hidden(input, hidden, weights, 0);
  check_cell_weights(weights, 3);
  return gru_cell(input_gates(input, weights), {hidden, {}}, weights).hidden;
}

}  // namespace

void register_recurrent_routes(torch::Library& library) {
  library.impl("lstm.input", TORCH_FN(lstm));
  library.impl("lstm.data", TORCH_FN(packed_lstm));
  library.impl("gru.input", TORCH_FN(recurrent<gru_cell>));
  library.impl("gru.data", TORCH_FN(packed_recurrent<gru_cell>));
  library.impl("rnn_tanh.input", TORCH_FN(recurrent<tanh_cell>));
  library.impl("rnn_tanh.data", TORCH_FN(packed_recurrent<tanh_cell>));
  library.impl("rnn_relu.input", TORCH_FN(recurrent<relu_cell>));
  library.impl("rnn_relu.data", TORCH_FN(packed_recurrent<relu_cell>));
  library.impl("lstm_cell", TORCH_FN(single_lstm_cell));
  library.impl("gru_cell", TORCH_FN(single_gru_cell));
}

}  // namespace runahead::device
