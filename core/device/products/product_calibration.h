#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/json.h"
#include "core/device/products/product_table.h"

namespace runahead::device {

/// What a table of products holds for: another machine, torch or number of threads needs another.
struct ProductTableKey {
  std::string processor{};  ///< "AMD EPYC, family 25 model 17, AVX512": its name, what torch uses.
  std::string torch{};      ///< Version.
  int threads = 1;          ///< Intra-op threads.

  bool operator==(const ProductTableKey&) const = default;

  /// Of this machine and this torch.
  [[nodiscard]] static ProductTableKey here(int threads);
};

/// A table and what it holds for.
struct ProductCalibration {
  ProductTableKey key{};
  ProductTable table;
};

/// {"schema_version": 2, "processor": …, "torch": …, "threads": …, "sizes": […], "speedups": […]}.
[[nodiscard]] Json to_json(const ProductCalibration& calibration);

/// Where the calibration of this user is kept: in `$XDG_CACHE_HOME/runahead/`, else in
/// `~/.cache/runahead/`. Empty where neither variable is set.
[[nodiscard]] std::filesystem::path product_calibration_path(int threads);

enum class Kept { kUse, kReplace };

/// The calibration that is kept at `path`. One that is missing, damaged or of another key is made
/// again, as is any with Kept::kReplace, and kept; where it cannot be kept, a warning says so.
/// Processes that need it at once make it once: the others wait, at most five minutes.
/// @param path  Empty: it is not kept.
[[nodiscard]] ProductCalibration kept_product_calibration(const std::filesystem::path& path,
                                                          const ProductTableKey& key,
                                                          const std::function<ProductTable()>& make,
                                                          Kept kept = Kept::kUse);

}  // namespace runahead::device
