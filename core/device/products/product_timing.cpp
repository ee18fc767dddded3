#include <ATen/ops/mm_cpu_dispatch.h>
#include <ATen/ops/ones.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <future>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/device/products/onednn_product.h"
#include "core/device/products/product_table.h"
#include "core/device/torch/threads.h"
#include "core/engine/wait_hooks.h"

namespace runahead::device {
namespace {

constexpr std::size_t kPasses = 3;
constexpr double kSecondsAtAPoint = 0.7e-3;  // Per library and pass.
constexpr int kLeastTurns = 5;
constexpr int kMostTurns = 21;
constexpr double kMostSeconds = 60;  // From then on one turn per point, in the first pass only.

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

/// Times both in turns, and adds the ratio of each turn: one's time over the other's.
template <typename One, typename Other>
void add_speedups(std::vector<double>& speedups, bool is_late, const One& one, const Other& other) {
  static_cast<void>(one());
  static_cast<void>(other());
  const double seconds = std::max(seconds_of(one), 1e-7);
  const int turns =
      is_late ? 1
              : std::clamp(static_cast<int>(kSecondsAtAPoint / seconds), kLeastTurns, kMostTurns);
  for (int turn = 0; turn < turns; ++turn) {
    const double one_seconds = seconds_of(one);
    speedups.push_back(one_seconds / std::max(seconds_of(other), 1e-9));
  }
}

/// Medians of the turns of several passes over the grid: neither a slow spell of the machine, which
/// lasts seconds and may slow one library more than the other, nor single slow turns decide.
/// @return a table that nothing uses if it is to stop.
ProductTable time_grid(const std::stop_token& stop) {
  const c10::InferenceMode no_autograd;
  std::vector<double> medians(ProductTable::kPoints, 0.0);
  if (!has_onednn_products()) return ProductTable(std::move(medians));
  const std::int64_t most = ProductTable::kSizes.back() * ProductTable::kSizes.back();
  const at::Tensor left_pool = at::ones({most});
  const at::Tensor right_pool = at::ones({most});
  std::vector<std::vector<double>> speedups(ProductTable::kPoints);
  const TimePoint start = Clock::now();
  for (std::size_t visit = 0; visit < kPasses * ProductTable::kPoints; ++visit) {
    if (stop.stop_requested()) return ProductTable(std::move(medians));
    const bool is_late = seconds_between(start, Clock::now()) > kMostSeconds;
    if (is_late && visit >= ProductTable::kPoints) break;
    const std::size_t point = visit % ProductTable::kPoints;
    const ProductShape shape = ProductTable::shape_of(point);
    const at::Tensor left = matrix(left_pool, shape.rows, shape.inner, shape.left_transposed);
    const at::Tensor right = matrix(right_pool, shape.inner, shape.columns, shape.right_transposed);
    add_speedups(
        speedups[point], is_late, [&] { return at::cpu::mm(left, right); },
        [&] { return onednn_product(left, right); });
  }
  std::transform(speedups.begin(), speedups.end(), medians.begin(),
                 [](const std::vector<double>& turns) { return median(turns); });
  return ProductTable(std::move(medians));
}

}  // namespace

ProductTable time_products(int intra_op_threads, int cpu, void (*check)()) {
  std::packaged_task<ProductTable(std::stop_token)> timing([=](const std::stop_token& stop) {
    set_own_intra_op_threads(intra_op_threads);
    if (cpu >= 0) pin_calling_thread(cpu);
    return time_grid(stop);
  });
  std::future<ProductTable> table = timing.get_future();
  const std::jthread thread(std::move(timing));
  while (table.wait_for(engine::kWaitCheckInterval) != std::future_status::ready) {
    if (check != nullptr) check();
  }
  return table.get();
}

}  // namespace runahead::device
