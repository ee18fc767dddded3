#pragma once

#include "core/device/products/product_table.h"

namespace runahead::device {

/// Times the grid's products with both libraries, in turns, on a separate thread with that number
/// of intra-op threads, and takes medians: about 20 s with one thread. If this LibTorch has no
/// oneDNN, the table never prefers it. Blocks.
/// @param cpu  CPU that the thread is pinned to; negative: none.
/// @param check  Called every engine::kWaitCheckInterval; what it throws ends the wait. May be
/// null.
[[nodiscard]] ProductTable time_products(int intra_op_threads, int cpu, void (*check)() = nullptr);

}  // namespace runahead::device
