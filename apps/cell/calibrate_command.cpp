#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

#include "apps/cell/command.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/device/products/onednn_product.h"
#include "core/device/products/product_calibration.h"
#include "core/device/products/product_table.h"

namespace runahead::cell {
namespace {

using device::ProductTable;

constexpr std::array<const char*, ProductTable::kOrders> kOrders{
    "a · b", "a · bᵀ, as in a layer", "aᵀ · b, as in the gradient of weights"};

struct CalibrateOptions {
  int threads = 1;
  bool json = false;
};

/// Prints how much faster oneDNN is for square matrices of each size, in each order.
void print_squares(const ProductTable& table) {
  std::cout << "oneDNN's speed over that of LibTorch's library, square float32 matrices:\n";
  std::cout << "    size";
  for (const std::int64_t size : ProductTable::kSizes) std::cout << '\t' << size;
  std::cout << '\n';
  for (std::size_t order = 0; order < kOrders.size(); ++order) {
    std::cout << "  " << kOrders[order] << '\n' << "        ";
    for (std::size_t point = 0; point < ProductTable::kPoints; ++point) {
      const device::ProductShape shape = ProductTable::shape_of(point);
      if (ProductTable::order_of(shape) != order || shape.rows != shape.inner ||
          shape.inner != shape.columns)
        continue;
      std::cout << '\t' << formatted("%.2f", table.speedups()[point]);
    }
    std::cout << '\n';
  }
}

ExitCode calibrate(const CalibrateOptions& options) {
  const device::ProductTableKey key = device::ProductTableKey::here(options.threads);
  const auto path = device::product_calibration_path(key);
  const device::ProductCalibration calibration = device::kept_product_calibration(
      path, key, [&options] { return device::time_products(options.threads, /*cpu=*/-1); },
      device::Kept::kReplace);
  if (options.json) {
    std::cout << dump_json(to_json(calibration), 1) << '\n';
    return ExitCode::kOk;
  }
  if (!device::has_onednn_products()) {
    std::cout << "this LibTorch has no oneDNN: all products stay with its own library\n";
    return ExitCode::kOk;
  }
  const auto& speedups = calibration.table.speedups();
  const auto faster = std::ranges::count_if(
      speedups, [](double speedup) { return speedup >= ProductTable::kClearlyFaster; });
  print_squares(calibration.table);
  std::cout << "clearly faster in " << faster << " of " << counted(speedups.size(), "shape")
            << " that were measured, on " << calibration.key.processor << ", with "
            << counted(static_cast<std::uint64_t>(options.threads), "thread") << '\n';
  if (calibration.is_kept) std::cout << "kept in " << path.string() << '\n';
  return ExitCode::kOk;
}

}  // namespace

Command add_calibrate_command(CLI::App& program) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App* parser =
      program.add_subcommand("calibrate", "Measure which products oneDNN makes faster");
  parser->add_option("--threads", options->threads, "Intra-op threads to measure with")
      ->check(CLI::Range(1, 1024));
  parser->add_flag("--json", options->json, "Print one JSON document");
  return {parser, [options] { return calibrate(*options); }};
}

}  // namespace runahead::cell
