#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace runahead::device {

/// Whether this LibTorch provides oneDNN's products.
[[nodiscard]] bool has_onednn_products();

/// left · right, plus `bias` in each row, by oneDNN. Precondition: has_onednn_products(). Blocks
/// until it is computed; the calling thread's intra-op threads take part. Thread-safe.
/// @param left, right  Dense float32 matrices on `cpu`, (rows, inner) and (inner, columns).
/// @param bias         (columns), or nullopt. @return a new contiguous tensor, (rows, columns).
[[nodiscard]] at::Tensor onednn_product(const at::Tensor& left, const at::Tensor& right,
                                        const std::optional<at::Tensor>& bias = std::nullopt);

/// Makes oneDNN create the statics of its products.
void make_statics_of_onednn();

}  // namespace runahead::device
