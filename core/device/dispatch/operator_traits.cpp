#include "core/device/dispatch/operator_traits.h"

#include <unordered_map>

#include "core/device/dispatch/value_checks.h"
#include "core/device/dispatch/value_dependence.h"
#include "core/device/layouts/layout_rules.h"

namespace runahead::device {
namespace {

using Table = std::unordered_map<std::string_view, OperatorTraits>;

// By name and overload; `aten::name.*` covers every overload. In alphabetical order.
const Table& table() {
  static const Table rows{
      {"aten::_adaptive_avg_pool2d",
       {.layouts = adaptive_average_layouts, .distrusts_meta_kernel = true}},
      {"aten::_adaptive_avg_pool2d_backward", {.layouts = adaptive_average_backward_layouts}},
      {"aten::_adaptive_avg_pool3d",
       {.layouts = adaptive_average_layouts, .distrusts_meta_kernel = true}},
      {"aten::_adaptive_avg_pool3d_backward", {.layouts = adaptive_average_backward_layouts}},
      {"aten::_add_relu_.Tensor", {.is_left_to_kernel = true}},
      {"aten::addbmm", {.is_left_to_kernel = true}},
      {"aten::addmm",
       {.layouts = addmm_layouts, .distrusts_meta_kernel = true, .is_product = true}},
      {"aten::addmm.out", {.layouts = addmm_layouts, .distrusts_meta_kernel = true}},
      {"aten::addmv.out", {.takes_one_dtype = true}},
      {"aten::addr", {.is_whole_call = true}},
      {"aten::addr_", {.is_left_to_kernel = true, .is_whole_call = true}},
      {"aten::addr.out", {.is_whole_call = true}},
      {"aten::alias", {.takes_named_tensors = true}},
      {"aten::all.all_out", {.takes_integers = true}},
      {"aten::all.dims", {.is_whole_call = true}},
      {"aten::all.dims_out", {.is_whole_call = true}},
      {"aten::all.out", {.takes_integers = true}},
      {"aten::amax.*", {.takes_integers = true}},
      {"aten::_aminmax", {.depends_on_values = always}},  // Warns that it is deprecated.
      {"aten::_aminmax.dim", {.depends_on_values = always}},
      {"aten::amin.*", {.takes_integers = true}},
      {"aten::any.all_out", {.takes_integers = true}},
      {"aten::any.dims", {.is_whole_call = true}},
      {"aten::any.dims_out", {.is_whole_call = true}},
      {"aten::any.out", {.takes_integers = true}},
      {"aten::arange.*", {.takes_integers = true}},
      {"aten::arange_.*", {.overwrites = true}},
      {"aten::argmax.*", {.takes_integers = true}},
      {"aten::argmin.*", {.takes_integers = true}},
      {"aten::baddbmm.out", {.takes_one_dtype = true}},
      {"aten::batch_norm_update_stats.*", {.hidden_writes = {1, 2}}},
      {"aten::_batch_norm_with_update.*", {.distrusts_meta_kernel = true}},
      {"aten::bernoulli.*", {.is_filling = true}},
      {"aten::bernoulli_.*", {.overwrites = true, .is_filling = true}},
      {"aten::binary_cross_entropy",
       {.layouts = binary_cross_entropy_layouts, .distrusts_meta_kernel = true}},
      {"aten::binary_cross_entropy_backward", {.layouts = like_second_layouts}},
      {"aten::bmm.out", {.takes_one_dtype = true}},
      {"aten::bucketize.Scalar", {.is_left_to_kernel = true}},
      {"aten::bucketize.Scalar_out", {.is_left_to_kernel = true}},
      {"aten::bucketize.Tensor", {.is_left_to_kernel = true}},
      {"aten::bucketize.Tensor_out", {.is_left_to_kernel = true}},
      {"aten::cat.*", {.takes_integers = true}},
      {"aten::cauchy_.*", {.overwrites = true, .is_filling = true}},
      {"aten::channel_shuffle",
       {.layouts = channel_shuffle_layouts, .distrusts_meta_kernel = true}},
      {"aten::col2im", {.is_left_to_kernel = true}},
      {"aten::complex.*", {.is_filling = true}},
      {"aten::complex.out", {.is_left_to_kernel = true}},
      {"aten::conj_physical_", {.is_whole_call = true}},
      {"aten::convolution", {.layouts = convolution_layouts, .distrusts_meta_kernel = true}},
      {"aten::convolution_backward",
       {.layouts = convolution_backward_layouts,
        .distrusts_meta_kernel = true,
        .is_whole_call = true}},
      {"aten::_ctc_loss", {.depends_on_values = has_device_lengths}},
      {"aten::_ctc_loss.*", {.host_arguments = {"input_lengths", "target_lengths"}}},
      {"aten::_ctc_loss.Tensor", {.depends_on_values = has_device_lengths}},
      {"aten::_ctc_loss_backward.*", {.host_arguments = {"input_lengths", "target_lengths"}}},
      {"aten::detach", {.takes_named_tensors = true}},
      {"aten::dot", {.takes_one_dtype = true}},
      {"aten::embedding.*", {.takes_integers = true}},
      {"aten::_embedding_bag.*", {.distrusts_meta_kernel = true}},
      {"aten::_embedding_bag_forward_only.*", {.distrusts_meta_kernel = true}},
      {"aten::embedding_dense_backward",
       {.layouts = embedding_backward_layouts, .check_values = check_counted_indices}},
      {"aten::embedding_renorm_", {.is_left_to_kernel = true}},
      {"aten::exponential_.*", {.overwrites = true, .is_filling = true}},
      {"aten::eye.*", {.takes_integers = true}},
      {"aten::eye_.*", {.overwrites = true}},
      {"aten::_fft_c2c.*", {.distrusts_meta_kernel = true}},
      {"aten::_fft_c2r.*", {.distrusts_meta_kernel = true}},
      {"aten::_fft_r2c.*", {.distrusts_meta_kernel = true}},
      {"aten::fill.*", {.is_filling = true}},
      {"aten::fill_.*", {.overwrites = true, .is_filling = true}},
      {"aten::flip", {.layouts = flip_layouts}},
      {"aten::flip.*", {.takes_integers = true}},
      {"aten::floor_divide", {.is_left_to_kernel = true}},
      {"aten::floor_divide_.Tensor", {.is_left_to_kernel = true}},
      {"aten::fractional_max_pool2d", {.is_left_to_kernel = true}},
      {"aten::fractional_max_pool3d", {.is_left_to_kernel = true}},
      {"aten::gather.*", {.takes_integers = true}},
      {"aten::geometric_.*", {.overwrites = true, .is_filling = true}},
      {"aten::glu_backward", {.layouts = contiguous_like_second_layouts}},
      {"aten::grid_sampler_2d", {.is_left_to_kernel = true}},
      {"aten::grid_sampler_2d_backward", {.is_left_to_kernel = true}},
      {"aten::grid_sampler_3d", {.is_left_to_kernel = true}},
      {"aten::grid_sampler_3d_backward", {.is_left_to_kernel = true}},
      {"aten::hardswish", {.layouts = elementwise_first_layouts}},
      {"aten::hardswish_backward", {.layouts = elementwise_backward_layouts}},
      {"aten::hardtanh", {.layouts = like_first_layouts}},
      {"aten::hardtanh_backward", {.layouts = elementwise_backward_layouts}},
      {"aten::huber_loss",
       {.layouts = huber_loss_layouts, .distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::huber_loss_backward", {.layouts = loss_backward_layouts}},
      {"aten::im2col", {.is_left_to_kernel = true}},
      {"aten::index.*", {.host_arguments = {"indices"}, .takes_integers = true}},
      {"aten::index.Tensor", {.depends_on_values = has_device_mask}},
      {"aten::index.Tensor_out", {.depends_on_values = has_device_mask}},
      {"aten::index_add.*", {.takes_integers = true}},
      {"aten::index_copy", {.is_left_to_kernel = true}},
      {"aten::index_copy.*", {.takes_integers = true}},
      {"aten::index_copy_", {.is_left_to_kernel = true}},
      {"aten::index_fill.int_Scalar", {.is_left_to_kernel = true}},
      {"aten::index_fill.int_Tensor", {.is_left_to_kernel = true}},
      {"aten::index_fill_.*", {.host_arguments = {"index"}, .takes_integers = true}},
      {"aten::index_fill_.int_Scalar", {.is_left_to_kernel = true}},
      {"aten::index_fill_.int_Tensor", {.is_left_to_kernel = true}},
      {"aten::index_put.*", {.host_arguments = {"indices"}}},
      {"aten::index_put_.*", {.host_arguments = {"indices"}}},
      {"aten::_index_put_impl_.*", {.host_arguments = {"indices"}, .takes_integers = true}},
      {"aten::index_select", {.layouts = index_select_layouts, .distrusts_meta_kernel = true}},
      {"aten::index_select.*", {.takes_integers = true}},
      {"aten::isin.Scalar_Tensor_out", {.is_left_to_kernel = true}},
      {"aten::isin.Tensor_Scalar_out", {.is_left_to_kernel = true}},
      {"aten::isin.Tensor_Tensor", {.is_left_to_kernel = true}},
      {"aten::kaiser_window", {.is_whole_call = true}},
      {"aten::kaiser_window.beta", {.is_whole_call = true}},
      {"aten::kaiser_window.periodic", {.is_whole_call = true}},
      {"aten::ldexp.Tensor", {.distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::ldexp.out", {.is_whole_call = true}},
      {"aten::ldexp_", {.is_whole_call = true}},
      {"aten::linalg__powsum", {.is_whole_call = true}},
      {"aten::linalg_cross", {.is_left_to_kernel = true}},
      {"aten::linalg_eig.*", {.distrusts_meta_kernel = true, .looks_at_values = true}},
      {"aten::_linalg_eigvals.*", {.looks_at_values = true}},
      {"aten::linalg_eigvals.*", {.looks_at_values = true}},
      {"aten::linalg_lstsq.*", {.distrusts_meta_kernel = true}},
      {"aten::linalg_lu.*", {.is_left_to_kernel = true}},
      {"aten::linalg_lu_factor_ex.*", {.is_left_to_kernel = true}},
      {"aten::linalg_matrix_exp", {.is_left_to_kernel = true}},
      {"aten::log_normal_.*", {.overwrites = true, .is_filling = true}},
      {"aten::log_sigmoid_backward", {.layouts = like_first_layouts}},
      {"aten::log_sigmoid_forward", {.layouts = contiguous_like_first_twice_layouts}},
      {"aten::logical_and_", {.is_whole_call = true}},
      {"aten::logical_not_", {.is_whole_call = true}},
      {"aten::logical_or_", {.is_whole_call = true}},
      {"aten::logical_xor_", {.is_whole_call = true}},
      {"aten::logspace.*", {.is_left_to_kernel = true}},
      {"aten::masked_fill.*", {.is_filling = true}},
      {"aten::masked_fill_.*", {.is_filling = true}},
      {"aten::masked_scatter_.*", {.is_filling = true, .spreads_mask = true}},
      {"aten::max", {.is_left_to_kernel = true}},
      {"aten::max.*", {.takes_integers = true}},
      {"aten::max_pool1d", {.distrusts_meta_kernel = true, .is_left_to_kernel = true}},
      {"aten::max_pool3d_with_indices.*", {.distrusts_meta_kernel = true}},
      {"aten::max_pool3d_with_indices_backward.*", {.distrusts_meta_kernel = true}},
      {"aten::max_unpool2d.*", {.distrusts_meta_kernel = true, .is_not_deterministic = true}},
      {"aten::max_unpool3d.*", {.is_not_deterministic = true}},
      {"aten::median", {.is_left_to_kernel = true}},
      {"aten::median.dim", {.is_left_to_kernel = true}},
      {"aten::min", {.is_left_to_kernel = true}},
      {"aten::min.*", {.takes_integers = true}},
      {"aten::mish_backward", {.is_whole_call = true}},
      {"aten::mkldnn_rnn_layer.*", {.distrusts_meta_kernel = true}},
      {"aten::mkldnn_rnn_layer_backward.*", {.distrusts_meta_kernel = true}},
      {"aten::mm", {.takes_one_dtype = true, .is_product = true}},
      {"aten::mm.out", {.takes_one_dtype = true}},
      {"aten::mode.values", {.is_whole_call = true}},
      {"aten::mse_loss", {.layouts = reduced_loss_layouts, .distrusts_meta_kernel = true}},
      {"aten::mse_loss_backward", {.layouts = loss_backward_layouts}},
      {"aten::multi_margin_loss", {.is_left_to_kernel = true}},
      {"aten::multilabel_margin_loss_forward.*", {.distrusts_meta_kernel = true}},
      {"aten::nanmedian", {.is_left_to_kernel = true}},
      {"aten::nanmedian.dim", {.is_left_to_kernel = true}},
      {"aten::nansum", {.is_left_to_kernel = true}},
      {"aten::multinomial", {.layouts = multinomial_layouts}},
      {"aten::multinomial.out", {.layouts = multinomial_layouts}},
      {"aten::native_batch_norm", {.layouts = batch_norm_layouts, .distrusts_meta_kernel = true}},
      {"aten::native_batch_norm.*", {.hidden_writes = {3, 4}, .distrusts_meta_kernel = true}},
      {"aten::native_batch_norm_backward",
       {.layouts = batch_norm_backward_layouts, .distrusts_meta_kernel = true}},
      {"aten::_native_batch_norm_legit.*", {.distrusts_meta_kernel = true}},
      {"aten::native_channel_shuffle",
       {.layouts = channel_shuffle_layouts, .distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::native_dropout_backward", {.distrusts_meta_kernel = true}},
      {"aten::native_group_norm",
       {.layouts = group_norm_layouts, .distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::native_group_norm_backward",
       {.layouts = group_norm_backward_layouts, .distrusts_meta_kernel = true}},
      {"aten::native_layer_norm",
       {.layouts = layer_norm_layouts, .distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::native_layer_norm_backward",
       {.layouts = layer_norm_backward_layouts, .distrusts_meta_kernel = true}},
      {"aten::_native_multi_head_attention.*", {.distrusts_meta_kernel = true}},
      {"aten::nll_loss_backward.*", {.takes_classes = true}},
      {"aten::nll_loss_forward.*", {.takes_classes = true}},
      {"aten::nll_loss2d_backward.*",
       {.layouts = nll_loss2d_backward_layouts,
        .distrusts_meta_kernel = true,
        .takes_classes = true}},
      {"aten::nll_loss2d_forward.*", {.takes_classes = true}},
      {"aten::nll_loss2d_forward", {.layouts = nll_loss2d_layouts, .is_left_to_kernel = true}},
      {"aten::nonzero_static", {.distrusts_meta_kernel = true}},
      {"aten::nonzero_static.out", {.is_left_to_kernel = true}},
      {"aten::normal.*", {.takes_deviations = true}},
      {"aten::normal_.*", {.overwrites = true, .is_filling = true}},
      {"aten::ormqr.*", {.is_left_to_kernel = true}},
      {"aten::_pack_padded_sequence.*", {.host_arguments = {"lengths"}}},
      {"aten::pixel_shuffle", {.layouts = pixel_shuffle_layouts, .distrusts_meta_kernel = true}},
      {"aten::pixel_unshuffle",
       {.layouts = pixel_unshuffle_layouts, .distrusts_meta_kernel = true}},
      {"aten::poisson", {.distrusts_meta_kernel = true}},
      {"aten::polar.*", {.is_filling = true}},
      {"aten::polar.out", {.is_left_to_kernel = true}},
      {"aten::_prelu_kernel", {.layouts = like_first_layouts}},
      {"aten::_prelu_kernel_backward", {.layouts = prelu_backward_layouts}},
      {"aten::put_.*", {.is_left_to_kernel = true, .is_not_deterministic = true}},
      {"aten::random_.*", {.overwrites = true, .is_filling = true, .takes_integers = true}},
      {"aten::random_.from", {.draws_whole_numbers = true}},
      {"aten::random_.to", {.draws_whole_numbers = true}},
      {"aten::randperm.*", {.takes_integers = true}},
      {"aten::randperm_.*", {.overwrites = true}},
      {"aten::reflection_pad2d",
       {.layouts = padded_layouts, .distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::reflection_pad2d_backward",
       {.layouts = padded_backward_layouts, .distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::reflection_pad3d", {.layouts = padded_layouts, .distrusts_meta_kernel = true}},
      {"aten::reflection_pad3d_backward",
       {.layouts = padded_backward_layouts, .distrusts_meta_kernel = true}},
      {"aten::relu", {.layouts = elementwise_first_layouts}},
      {"aten::renorm.*", {.is_left_to_kernel = true}},
      {"aten::repeat_interleave.Tensor",
       {.depends_on_values = has_no_output_size, .is_left_to_kernel = true}},
      {"aten::replication_pad2d", {.layouts = padded_layouts, .distrusts_meta_kernel = true}},
      {"aten::replication_pad2d_backward",
       {.layouts = padded_backward_layouts, .distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::replication_pad3d", {.layouts = padded_layouts, .distrusts_meta_kernel = true}},
      {"aten::replication_pad3d_backward",
       {.layouts = padded_backward_layouts, .distrusts_meta_kernel = true, .is_whole_call = true}},
      {"aten::roll.*", {.distrusts_meta_kernel = true, .takes_integers = true}},
      {"aten::rrelu_with_noise", {.distrusts_meta_kernel = true}},
      {"aten::rrelu_with_noise_", {.is_left_to_kernel = true}},
      {"aten::rsub.Tensor", {.is_left_to_kernel = true}},
      {"aten::_scaled_dot_product_flash_attention_for_cpu",
       {.layouts = flash_attention_layouts, .distrusts_meta_kernel = true}},
      {"aten::_scaled_dot_product_flash_attention_for_cpu.*", {.distrusts_meta_kernel = true}},
      {"aten::_scaled_dot_product_flash_attention_for_cpu_backward",
       {.layouts = flash_attention_backward_layouts, .distrusts_meta_kernel = true}},
      {"aten::scatter.*", {.takes_integers = true}},
      {"aten::searchsorted.Scalar", {.is_left_to_kernel = true}},
      {"aten::searchsorted.Scalar_out", {.is_left_to_kernel = true}},
      {"aten::searchsorted.Tensor", {.is_left_to_kernel = true}},
      {"aten::searchsorted.Tensor_out", {.is_left_to_kernel = true}},
      {"aten::segment_reduce.*", {.distrusts_meta_kernel = true}},
      {"aten::silu_backward", {.is_whole_call = true}},
      {"aten::smooth_l1_loss", {.layouts = threshold_loss_layouts, .distrusts_meta_kernel = true}},
      {"aten::smooth_l1_loss_backward", {.layouts = loss_backward_layouts}},
      {"aten::sort.*", {.takes_integers = true}},
      {"aten::_stack", {.is_whole_call = true}},
      {"aten::_stack.*", {.takes_integers = true}},
      {"aten::std.*", {.is_variance = true}},
      {"aten::std_mean.*", {.is_variance = true}},
      {"aten::sum.*", {.takes_integers = true}},
      {"aten::topk.*", {.takes_integers = true}},
      {"aten::_transformer_encoder_layer_fwd", {.distrusts_meta_kernel = true}},
      {"aten::tril.*", {.takes_integers = true}},
      {"aten::triu.*", {.takes_integers = true}},
      {"aten::uniform_.*", {.overwrites = true, .is_filling = true}},
      {"aten::_unique", {.depends_on_values = always}},
      {"aten::_unique2.*", {.takes_integers = true}},
      {"aten::_unsafe_index.*", {.host_arguments = {"indices"}}},
      {"aten::_unsafe_index.Tensor", {.depends_on_values = has_device_mask}},
      {"aten::_unsafe_index_put.*", {.host_arguments = {"indices"}}},
      {"aten::var.*", {.is_variance = true}},
      {"aten::var_mean.*", {.is_variance = true}},
      {"aten::vdot", {.takes_one_dtype = true}},
      {"aten::where.*", {.takes_integers = true, .takes_condition = true}},
      {"aten::where.self", {.layouts = where_layouts}},
      {"aten::zero_.*", {.overwrites = true, .is_filling = true}},
  };
  return rows;
}

void add(OperatorTraits& traits, const OperatorTraits& more) {
  if (more.layouts != nullptr) traits.layouts = more.layouts;
  if (more.depends_on_values != nullptr) traits.depends_on_values = more.depends_on_values;
  if (more.check_values != nullptr) traits.check_values = more.check_values;
  if (more.hidden_writes[0] >= 0) traits.hidden_writes = more.hidden_writes;
  if (!more.host_arguments[0].empty()) traits.host_arguments = more.host_arguments;
  traits.distrusts_meta_kernel |= more.distrusts_meta_kernel;
  traits.is_left_to_kernel |= more.is_left_to_kernel;
  traits.is_whole_call |= more.is_whole_call;
  traits.overwrites |= more.overwrites;
  traits.is_filling |= more.is_filling;
  traits.takes_integers |= more.takes_integers;
  traits.takes_one_dtype |= more.takes_one_dtype;
  traits.looks_at_values |= more.looks_at_values;
  traits.is_not_deterministic |= more.is_not_deterministic;
  traits.is_product |= more.is_product;
  traits.is_variance |= more.is_variance;
  traits.spreads_mask |= more.spreads_mask;
  traits.draws_whole_numbers |= more.draws_whole_numbers;
  traits.takes_deviations |= more.takes_deviations;
  traits.takes_classes |= more.takes_classes;
  traits.takes_condition |= more.takes_condition;
  traits.takes_named_tensors |= more.takes_named_tensors;
}

}  // namespace

OperatorTraits traits_of(const c10::OperatorName& name) {
  OperatorTraits traits;
  for (const std::string& key : {name.name + ".*", c10::toString(name)}) {
    const auto row = table().find(key);
    if (row != table().end()) add(traits, row->second);
  }
  return traits;
}

std::vector<std::string> whole_calls() {
  constexpr std::string_view kNamespace = "aten::";
  std::vector<std::string> names;
  for (const auto& [name, traits] : table()) {
    if (traits.is_whole_call) names.emplace_back(name.substr(kNamespace.size()));
  }
  return names;
}

}  // namespace runahead::device
