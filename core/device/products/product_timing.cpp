#include "core/device/products/product_timing.h"

#include <ATen/ops/mm_cpu_dispatch.h>
#include <ATen/ops/ones.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/device/products/onednn_product.h"
#include "core/device/torch/own_threads.h"

namespace runahead::device {
namespace {

constexpr double kSecondsAtAPoint = 2e-3;  // Of each library.
constexpr int kLeastTurns = 7;
constexpr int kMostTurns = 30;

/// A dense matrix in the memory of `pool`.
at::Tensor matrix(const at::Tensor& pool, std::int64_t rows, std::int64_t columns,
                  bool is_transposed) {
  const at::Tensor elements = pool.narrow(0, 0, rows * columns);
  return is_transposed ? elements.view({columns, rows}).t() : elements.view({rows, columns});
}

template <typename Product>
double seconds_of(const Product& product) {
  const TimePoint start = Clock::now();
  static_cast<void>(product());
  return seconds_between(start, Clock::now());
}

/// The least time of one over the least time of the other, each timed in turns.
template <typename One, typename Other>
double speedup_of(const One& one, const Other& other) {
  static_cast<void>(one());
  static_cast<void>(other());
  double least_one = seconds_of(one);
  double least_other = seconds_of(other);
  const int turns = std::clamp(static_cast<int>(kSecondsAtAPoint / std::max(least_one, 1e-7)),
                               kLeastTurns, kMostTurns);
  for (int turn = 1; turn < turns; ++turn) {
    least_one = std::min(least_one, seconds_of(one));
    least_other = std::min(least_other, seconds_of(other));
  }
  return least_one / std::max(least_other, 1e-9);
}

ProductTable time_grid() {
  const c10::InferenceMode no_autograd;
  std::vector<double> speedups(ProductTable::kPoints, 0.0);
  if (!has_onednn_products()) return ProductTable(std::move(speedups));
  const std::int64_t most = ProductTable::kSizes.back() * ProductTable::kSizes.back();
  const at::Tensor left_pool = at::ones({most});
  const at::Tensor right_pool = at::ones({most});
  for (std::size_t point = 0; point < ProductTable::kPoints; ++point) {
    const ProductShape shape = ProductTable::shape_of(point);
    const at::Tensor left = matrix(left_pool, shape.rows, shape.inner, shape.left_transposed);
    const at::Tensor right = matrix(right_pool, shape.inner, shape.columns, shape.right_transposed);
    speedups[point] = speedup_of([&] { return at::cpu::mm(left, right); },
                                 [&] { return onednn_product(left, right); });
  }
  return ProductTable(std::move(speedups));
}

}  // namespace

ProductTable time_products(int intra_op_threads, int cpu) {
  std::optional<ProductTable> table;
  std::exception_ptr error;
  std::jthread([&] {
    try {
      set_own_intra_op_threads(intra_op_threads);
      if (cpu >= 0) pin_calling_thread(cpu);
      table = time_grid();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
  return *std::move(table);
}

}  // namespace runahead::device
