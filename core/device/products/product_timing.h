#pragma once

#include "core/device/products/product_table.h"

namespace runahead::device {

/// Times the products of the grid by both libraries, in turns, on a thread of its own with that
/// number of intra-op threads, and takes medians: some 20 s with one thread. Where this
/// LibTorch has no oneDNN, the table prefers it nowhere. Blocks.
/// @param cpu  That the thread is pinned to; negative: none.
[[nodiscard]] ProductTable time_products(int intra_op_threads, int cpu);

}  // namespace runahead::device
