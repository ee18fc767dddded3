#pragma once

#include <torch/library.h>

namespace runahead::device {

/// Register unboxed kernels for the operators that training calls most. The operators, their
/// results and their errors are those of the general path, bit for bit; only issuing is cheaper.
void register_hot_elementwise(torch::Library& library);
void register_hot_updates(torch::Library& library);  ///< In place.
void register_hot_matrix_products(torch::Library& library);
void register_hot_reductions(torch::Library& library);

}  // namespace runahead::device
